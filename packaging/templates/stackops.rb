class Stackops < Formula
  desc "Operator's command-line for deployed stacks"
  homepage "{{web}}"
  url "{{downloads}}/stackops-{{version}}.tgz"
  sha256 "{{sha256}}"
  license "MIT"

  depends_on "node"

  def install
    libexec.install "bin", "dist", "package.json"
    bin.install_symlink libexec/"bin/stackops.js" => "stackops"
    man1.install Dir["man/*.1"]
    man7.install Dir["man/*.7"]
    bash_completion.install "completions/stackops.bash" => "stackops"
    zsh_completion.install "completions/_stackops"
    fish_completion.install "completions/stackops.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/stackops --version").chomp
    assert_match "shop", shell_output("#{bin}/stackops --sandbox stack list")
  end
end
