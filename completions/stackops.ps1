# PowerShell completion of stackops: shows what `stackops __complete` says.
Register-ArgumentCompleter -Native -CommandName stackops -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # The dot keeps an empty word from getting lost on its way.
    $lines = @(& stackops __complete powershell '--' @before "$wordToComplete." 2>$null)
    if ($lines.Count -lt 3 -or -not $lines[0].StartsWith('names')) { return }
    $lines | Select-Object -Skip 2 | ForEach-Object {
        $written, $listed, $about = $_ -split "`t", 3
        [System.Management.Automation.CompletionResult]::new($written, $listed, 'ParameterValue', $about)
    }
}
