# Installs stackops into a folder of yours: no administrator, no questions, and nothing is changed before every sum is verified.
#   .\install.ps1 -From https://host.example/stackops     a folder with SHA256SUMS; a path will do, too
#   .\install.ps1 -From … -Version 1.2.3 -Prefix C:\Tools
#   .\install.ps1 -Uninstall
# STACKOPS_INSTALL_URL stands in for -From.
param(
  [string]$From = $env:STACKOPS_INSTALL_URL,
  [string]$Version = '',
  [string]$Prefix = (Join-Path ([Environment]::GetFolderPath('LocalApplicationData')) 'Programs'),
  [switch]$Uninstall
)
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$oldestNode = '20.19.0'
$program = Join-Path $Prefix 'stackops'
$mark = Join-Path $program 'by-install.ps1'

function Stop-Install([string]$Message) {
  [Console]::Error.WriteLine("install.ps1: error: $Message")
  exit 1
}

function Test-Node {
  $node = Get-Command node -CommandType Application -ErrorAction SilentlyContinue
  if (-not $node) { return $false }
  return [version](& node -p process.versions.node) -ge [version]$oldestNode
}

# Sums that came by http would prove nothing, so http is for this machine alone. Windows PowerShell would follow a redirect to
# http, so this follows at most five, to https alone.
function Save-Address([uri]$Address, [string]$Target) {
  $isHere = $Address.Scheme -eq 'http' -and $Address.Host -eq '127.0.0.1'
  for ($step = 0; $step -le 5; $step++) {
    $isAllowed = $Address.Scheme -eq 'https' -or ($isHere -and $step -eq 0)
    if (-not $isAllowed -or $Address.UserInfo) { throw 'it must be an https address or a folder, and so must its redirects' }
    $request = [System.Net.HttpWebRequest]::Create($Address)
    $request.AllowAutoRedirect = $false
    $response = $request.GetResponse()
    try {
      if ([int]$response.StatusCode -lt 300) {
        $file = [System.IO.File]::Create($ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Target))
        try { $response.GetResponseStream().CopyTo($file) } finally { $file.Close() }
        return
      }
      $location = $response.Headers['Location']
      if (-not $location) { throw "the host answered $([int]$response.StatusCode)" }
      $Address = New-Object System.Uri $Address, $location
    } finally { $response.Close() }
  }
  throw 'more than five redirects'
}

function Get-ReleaseFile([string]$Name, [string]$Target) {
  try {
    if ($From -match '://') {
      Save-Address "$From/$Name" $Target
    } else {
      Copy-Item -LiteralPath (Join-Path $From $Name) -Destination $Target
    }
  } catch {
    Stop-Install "could not fetch $From/${Name}: $_; nothing was installed"
  }
}

function Get-VerifiedFile([string]$Name) {
  $wanted = @($sums | Where-Object { $_ -match '^([0-9a-f]{64})  (.+)$' -and $Matches[2] -ceq $Name } |
    ForEach-Object { $_.Substring(0, 64) })
  if ($wanted.Count -ne 1) { Stop-Install "$From/SHA256SUMS does not name $Name; nothing was installed" }
  $target = Join-Path $work $Name
  Get-ReleaseFile $Name $target
  $found = (Get-FileHash -LiteralPath $target -Algorithm SHA256).Hash.ToLowerInvariant()
  if ($found -cne $wanted[0]) {
    Stop-Install "the SHA-256 of $Name is $found, not $($wanted[0]); nothing was installed"
  }
  return $target
}

if ($Uninstall) {
  if (-not (Test-Path -LiteralPath $mark)) { Stop-Install "there is no stackops of install.ps1 in $Prefix" }
  Remove-Item -LiteralPath $program -Recurse -Force
  "stackops removed from $Prefix"
  exit 0
}
if (-not $From) { Stop-Install 'name the folder of a release: -From or STACKOPS_INSTALL_URL' }
if ($Version -notmatch '^[0-9.]*$') { Stop-Install "-Version must be like 1.2.3, not $Version" }
if ((Test-Path -LiteralPath $program) -and -not (Test-Path -LiteralPath $mark)) {
  Stop-Install "$program was not made by install.ps1: choose another -Prefix"
}
$From = $From.TrimEnd('/', '\')
[void](New-Item -ItemType Directory -Force -Path $Prefix)
$work = Join-Path $Prefix ".stackops-$([guid]::NewGuid().ToString('N'))"
[void](New-Item -ItemType Directory -Path $work)
try {
  Get-ReleaseFile 'SHA256SUMS' (Join-Path $work 'SHA256SUMS')
  $sums = @(Get-Content -LiteralPath (Join-Path $work 'SHA256SUMS'))
  if (-not $Version) {
    $versions = @($sums | Where-Object { $_ -match '  stackops-([0-9.]+)\.tgz$' } | ForEach-Object { $Matches[1] })
    if ($versions.Count -ne 1) { Stop-Install "$From has $($versions.Count) versions: choose one with -Version" }
    $Version = $versions[0]
  }
  $new = Join-Path $work 'new'
  [void](New-Item -ItemType Directory -Path $new)
  if (Test-Node) {
    $file = Get-VerifiedFile "stackops-$Version.tgz"
    & tar -xzf $file -C $new --strip-components 1
    if ($LASTEXITCODE -ne 0) { Stop-Install 'could not unpack it; nothing was installed' }
    Set-Content -LiteralPath (Join-Path $new 'stackops.cmd') -Value '@node "%~dp0bin\stackops.js" %*' -Encoding ascii
  } else {
    $archive = 'stackops-windows-x64.zip'
    if (-not ($sums -match "  $archive$")) { Stop-Install "needs Node $oldestNode or newer: $From has no $archive" }
    Expand-Archive -LiteralPath (Get-VerifiedFile $archive) -DestinationPath $new
  }
  [void](New-Item -ItemType File -Path (Join-Path $new 'by-install.ps1'))
  if (Test-Path -LiteralPath $program) { Move-Item -LiteralPath $program -Destination (Join-Path $work 'old') }
  try {
    Move-Item -LiteralPath $new -Destination $program
  } catch {
    if (Test-Path -LiteralPath (Join-Path $work 'old')) {
      Move-Item -LiteralPath (Join-Path $work 'old') -Destination $program
    }
    throw
  }
  "stackops $Version installed: $program"
  "to start it by its name: `$env:PATH = `"$program;`$env:PATH`""
} finally {
  Remove-Item -LiteralPath $work -Recurse -Force
}
