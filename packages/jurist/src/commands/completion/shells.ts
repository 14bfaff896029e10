import { shellWord } from '@jurist/kit/shell-word'

/** The last, unfinished word of a line in bash. */
interface TypedWord {
  /** The value of the word so far. */
  readonly value: string
  /** The word as typed. */
  readonly raw: string
  /** The quote that is still open. */
  readonly quote: '' | "'" | '"'
  /** The index in `raw` after the open quote. */
  readonly quotedFrom: number
}

/** Splits a line into words. Nothing is expanded: `$HOME` stays unchanged. */
export function wordsOfLine(line: string): { readonly before: readonly string[]; readonly last: TypedWord } {
  const before: string[] = []
  let [value, raw, isWord] = ['', '', false]
  let [quote, quotedFrom]: [TypedWord['quote'], number] = ['', 0]
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quote === '' && /\s/.test(character)) {
      if (isWord) before.push(value)
      ;[value, raw, isWord] = ['', '', false]
      continue
    }
    isWord = true
    raw += character
    const next = line[at + 1]
    if (character === '\\' && quote !== "'" && next !== undefined) {
      if (quote === '"' && !/["\\$`]/.test(next)) value += character
      value += next
      raw += next
      at += 1
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character
      quotedFrom = raw.length
    } else if (character === quote) quote = ''
    else value += character
  }
  return { before, last: { value, raw, quote, quotedFrom } }
}

/**
 * Returns the replacement that bash inserts for a part of a word: the typed part, and the rest, quoted so that the
 * shell reads the candidate and nothing else. `breaks` contains the characters of `COMP_WORDBREAKS`; bash replaces the
 * part after the last of them.
 */
export function bashReplacement(
  { value, raw, quote, quotedFrom }: TypedWord,
  candidate: string,
  breaks: string,
): string {
  const rest = quotedFor(quote, candidate.slice(value.length))
  return `${raw.slice(quote === '' ? afterLastBreak(raw, breaks) : quotedFrom)}${rest}`
}

function afterLastBreak(raw: string, breaks: string): number {
  let [after, quote] = [0, '']
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] ?? ''
    if (character === '\\' && quote !== "'") at += 1
    else if (quote !== '') {
      if (character === quote) [after, quote] = [at + 1, '']
    } else if (character === "'" || character === '"') quote = character
    else if (breaks.includes(character)) after = at + 1
  }
  return after
}

function quotedFor(quote: TypedWord['quote'], text: string): string {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  // Bash interprets ! in double quotes as well.
  if (quote === '"') return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`)
  return text.replace(/[^\p{L}\p{N}_./:=@%+,-]/gu, '\\$&')
}

/** The shells that can complete the command. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

// Each script asks the command for continuations, through the hidden subcommand of its first word. The first line of
// the answer describes the others. The answer is never evaluated, only read line by line into variables.

const bash = `# Completion of jurist for bash.
_jurist_completion() {
  local line mode=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$mode" ]; then mode=$line; else COMPREPLY+=("$line"); fi
  done < <(_jurist_ask bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS")
  case $mode in
    files) compopt -o default 2>/dev/null ;;
    directories) compopt -o dirnames 2>/dev/null ;;
    open) compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}
complete -F _jurist_completion jurist
`

const zsh = `#compdef jurist
# Completion of jurist for zsh.
_jurist() {
  local line mode=
  local -a values shown
  while IFS= read -r line; do
    if [[ -z $mode ]]; then mode=$line; continue; fi
    values+=("\${line%%$'\\t'*}")
    if [[ $line == *$'\\t'* ]]; then shown+=("\${line%%$'\\t'*}  \${line#*$'\\t'}"); else shown+=("$line"); fi
  done < <(_jurist_ask zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  case $mode in
    files) _files ;;
    directories) _files -/ ;;
    open) compadd -l -S '' -d shown -a values ;;
    *) compadd -l -d shown -a values ;;
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
compdef _jurist jurist
`

const fish = `# Completion of jurist for fish.
function __jurist_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines (__jurist_ask fish $words[2..-1] "$current")
  switch "$lines[1]"
    case files
      __fish_complete_path "$current"
    case directories
      __fish_complete_directories "$current"
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c jurist -f -a '(__jurist_complete)'
`

/** Returns the script of a shell. `program` is the command to ask if the PATH contains no `jurist`. */
export function completionScript(shell: Shell, program: readonly string[]): string {
  const words = program.map(shellWord).join(' ')
  if (shell === 'fish') return `${asksInFish(words)}${fish}`
  return shell === 'bash' ? `${asks(words)}${bash}` : zsh.replace('\n_jurist()', `\n${asks(words)}_jurist()`)
}

function asks(program: string): string {
  return `_jurist_ask() {
  if [ -n "$(type -P jurist 2>/dev/null || whence -p jurist 2>/dev/null)" ]; then
    command jurist __complete "$@" 2>/dev/null </dev/null
  else
    ${program} __complete "$@" 2>/dev/null </dev/null
  fi
}
`
}

function asksInFish(program: string): string {
  return `function __jurist_ask
  if command -sq jurist
    command jurist __complete $argv 2>/dev/null </dev/null
  else
    ${program.replaceAll("'\\''", "\\'")} __complete $argv 2>/dev/null </dev/null
  end
end
`
}
