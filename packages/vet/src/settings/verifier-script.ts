import { checkKinds, programName, type ShellPart, shellParts } from '@jurist/experiment/internal'

/** A command of a script, with what decides whether it runs. */
export interface ScriptPart extends ShellPart {
  /** Counted from 1. */
  readonly line: number
  /** In how many conditions and loops it is. */
  readonly depth: number
  /** Whether it is the condition of an `if` or a loop. */
  readonly isCondition: boolean
  /** Whether the result of the command before it decides whether it runs. */
  readonly isChained: boolean
  /** Whether the script ends where the command fails. */
  readonly endsScript: boolean
  /** Whether its failure is ignored, as in `tests || true`. */
  readonly isSwallowed: boolean
}

/** Reads a script of a shell; `undefined` for scripts of other programs. */
export function scriptOf(script: string): readonly ScriptPart[] | undefined {
  const [first = ''] = script.split('\n', 1)
  if (first.startsWith('#!') && !/\b(?:ba|da|z|k)?sh\b/.test(first)) return undefined
  const { parts } = shellParts(script)
  let depth = 0
  let endsAtErrors = /\s-\w*e/.test(first)
  let isConditionNext = false
  let before: ShellPart | undefined
  return parts.map((part, index) => {
    const gap = gapBefore(script, before, part)
    for (const word of gap) {
      if (/^(?:if|elif|while|until)$/.test(word)) isConditionNext = true
      else if (/^(?:then|do|else)$/.test(word)) isConditionNext = false
      if (/^(?:if|while|until|for|case|select|\{)$/.test(word)) depth += 1
      if (/^(?:fi|done|esac|\})$/.test(word)) depth -= 1
    }
    const [program = '', ...args] = part.words
    if (program === 'set' && args.some((word) => /^-\w*e/.test(word))) endsAtErrors = true
    if (program === 'set' && args.some((word) => /^\+\w*e/.test(word))) endsAtErrors = false
    const next = parts[index + 1]
    const isHandled = part.operator === '||' || part.operator === '&&'
    const found: ScriptPart = {
      ...part,
      line: script.slice(0, part.from).split('\n').length,
      depth: Math.max(0, depth),
      isCondition: isConditionNext,
      isChained: before?.operator === '&&' || before?.operator === '||',
      endsScript: endsAtErrors && !isConditionNext && !isHandled,
      isSwallowed: part.operator === '||' && /^(?:true|:|echo)$/.test(next?.words[0] ?? ''),
    }
    before = part
    return found
  })
}

/** The words between two commands, which are those of the grammar. */
function gapBefore(script: string, before: ShellPart | undefined, part: ShellPart): readonly string[] {
  const text = script.slice(before?.to ?? 0, part.from).replaceAll(/#.*/g, '')
  return (
    text.match(/\b(?:if|then|elif|else|fi|while|until|for|do|done|case|esac|select)\b|(?<=\s|^)[{}](?=\s|;|$)/g) ?? []
  )
}

/** Whether a command tries what the agent did: it runs tests, or a file of the verifier. */
export function isCheck({ words }: ShellPart): boolean {
  if (checkKinds(words).includes('tests')) return true
  const program = programName(words[0] ?? '')
  return (
    !/^(?:cp|mv|mkdir|rm|install|chmod|chown|cd|export|source|\.|ln|cat|ls|find|touch|echo|set|pip\d?|apt|apt-get|npm)$/.test(
      program,
    ) && words.some((word) => /^\/tests\/|^\.\/tests\//.test(word))
  )
}

/** The reward that a command writes; `undefined` if it writes none. */
export function rewardOf({ words, writes, input }: ShellPart): 'full' | 'none' | 'other' | undefined {
  if (!writes.some((path) => /reward\.(?:txt|json)$/.test(path))) return undefined
  const text = [...words.slice(1), input ?? ''].join(' ').replaceAll(/\\n/g, ' ')
  const value = /(?:"reward"\s*:\s*)?(-?\d+(?:\.\d+)?|\$\S*)/.exec(text)?.[1]
  if (value === undefined || value.startsWith('$')) return 'other'
  return Number(value) >= 1 ? 'full' : Number(value) === 0 ? 'none' : 'other'
}
