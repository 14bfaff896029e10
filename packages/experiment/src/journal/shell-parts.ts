/** One command of a shell script: a program with its words. */
export interface ShellPart {
  /**
   * The program, its arguments without quotes, and the files that it reads by `<`. Variables and substitutions stay as
   * they are written.
   */
  readonly words: readonly string[]
  /** Where it begins and ends in the text of the whole command, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** The files that its redirections write. */
  readonly writes: readonly string[]
  /** The text of its here-document or here-string; `null` without one. */
  readonly input: string | null
  /** The programs that start it, such as `sudo` or `timeout`. */
  readonly startedBy: readonly string[]
  /** The variables that are set for it alone. */
  readonly variables: readonly string[]
  /** The operator that ends it; `''` at the end of the script. */
  readonly operator: string
}

/** The commands of a script in order, and the number of places that could not be read. */
export interface ShellScript {
  readonly parts: readonly ShellPart[]
  readonly unread: number
}

const maxDepth = 8
/** Characters without a meaning of their own. */
const plain = /[\w./:=@%+,~^*?[\]{}!-]+/y
const opening = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time', 'coproc'])
const closing = new Set(['fi', 'done', 'esac', '}', ';;'])
/** Words that are followed by names and values, not by a command. */
const naming = new Set(['for', 'select', 'case', 'function'])

/**
 * Splits a script for a POSIX shell into its commands: lists, pipelines, groups, substitutions, `bash -c` and `eval`,
 * behind `env`, `sudo`, `timeout`, `xargs` and the like. Here-documents are input, not commands.
 */
export function shellParts(script: string): ShellScript {
  const reader = new ShellReader(script, 0, 0)
  reader.read()
  return { parts: reader.parts.sort((one, other) => one.from - other.from), unread: reader.unread }
}

interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

interface HereDocument {
  readonly end: string
  readonly stripsTabs: boolean
  readonly owner: Draft
}

/** A command while it is read. */
interface Draft {
  words: Word[]
  writes: string[]
  input: string | null
  /** The part that it became. Its here-document is read after the end of the line. */
  part: { input: string | null } | undefined
}

function newDraft(): Draft {
  return { words: [], writes: [], input: null, part: undefined }
}

class ShellReader {
  readonly parts: ShellPart[] = []
  unread = 0
  private at = 0
  private draft = newDraft()
  private word: { text: string; from: number; isQuoted: boolean } | null = null
  private groups = 0
  private readonly documents: HereDocument[] = []

  private readonly text: string
  private readonly offset: number
  private readonly depth: number

  /** @param offset the place of the text in the whole command */
  constructor(text: string, offset: number, depth: number) {
    this.text = text
    this.offset = offset
    this.depth = depth
  }

  read(): void {
    while (this.at < this.text.length) this.readNext()
    this.endPart('')
  }

  private readNext(): void {
    const { text, at } = this
    const char = text[at] ?? ''
    const next = text[at + 1]
    if (char === '\\') this.readEscape(next)
    else if (char === "'" || (char === '$' && next === "'" && this.word === null)) this.readSingleQuotes(char === '$')
    else if (char === '"') this.readDoubleQuotes()
    else if (char === '`') this.readSubstitution(at + 1, text.indexOf('`', at + 1), 1)
    else if (char === '$' && next === '(') this.readDollarParenthesis()
    else if (char === '$' && next === '{') this.readUntil('}')
    else if ((char === '<' || char === '>') && next === '(') this.readSubstitution(at + 2, this.closing(at + 2), 1)
    else if (char === '#' && this.word === null) this.at = this.lineEnd()
    else if (char === '\n') this.readLineEnd()
    else if (char === ' ' || char === '\t' || char === '\r') this.endWord(1)
    else if (char === '<' || char === '>' || (char === '&' && next === '>')) this.readRedirection()
    else if (char === ';' || char === '&' || char === '|') this.readOperator(char, next)
    else if (char === '(' || char === ')') this.readParenthesis(char)
    else {
      plain.lastIndex = at
      const [run = char] = plain.exec(text) ?? []
      this.add(run, run.length)
    }
  }

  private add(text: string, length: number, isQuoted = false): void {
    this.word ??= { text: '', from: this.at, isQuoted: false }
    this.word.text += text
    this.word.isQuoted ||= isQuoted
    this.at += length
  }

  private readEscape(next: string | undefined): void {
    if (next === '\n') this.at += 2
    else this.add(next ?? '', next === undefined ? 1 : 2, true)
  }

  private readSingleQuotes(isAnsi: boolean): void {
    const start = this.at + (isAnsi ? 2 : 1)
    const end = this.text.indexOf("'", start)
    if (end === -1) {
      this.giveUp()
      return
    }
    this.add(this.text.slice(start, end), end + 1 - this.at, true)
  }

  private readDoubleQuotes(): void {
    const from = this.at
    let [at, text] = [from + 1, '']
    while (at < this.text.length && this.text[at] !== '"') {
      const char = this.text[at] ?? ''
      if (char === '\\' && /["\\$`\n]/.test(this.text[at + 1] ?? '')) {
        text += this.text[at + 1] === '\n' ? '' : this.text[at + 1]
        at += 2
      } else if ((char === '$' && this.text[at + 1] === '(') || char === '`') {
        const start = at + (char === '`' ? 1 : 2)
        const end = char === '`' ? this.text.indexOf('`', start) : this.closing(start)
        if (end === -1) {
          this.giveUp()
          return
        }
        this.nested(this.text.slice(start, end), this.offset + start)
        text += this.text.slice(at, end + 1)
        at = end + 1
      } else {
        text += char
        at += 1
      }
    }
    if (at >= this.text.length) {
      this.giveUp()
      return
    }
    this.add(text, at + 1 - from, true)
  }

  private readDollarParenthesis(): void {
    const isArithmetic = this.text[this.at + 2] === '('
    const end = this.closing(this.at + 2)
    if (!isArithmetic) {
      this.readSubstitution(this.at + 2, end, 1)
      return
    }
    if (end === -1) {
      this.giveUp()
      return
    }
    this.add(this.text.slice(this.at, end + 1), end + 1 - this.at)
  }

  /** Reads the commands between two places, and keeps their text as a part of the word. */
  private readSubstitution(start: number, end: number, after: number): void {
    if (end === -1) {
      this.giveUp()
      return
    }
    this.nested(this.text.slice(start, end), this.offset + start)
    this.add(this.text.slice(this.at, end + after), end + after - this.at)
  }

  private readUntil(last: string): void {
    const end = this.text.indexOf(last, this.at)
    if (end === -1) {
      this.giveUp()
      return
    }
    this.add(this.text.slice(this.at, end + 1), end + 1 - this.at)
  }

  /** The place of the parenthesis that closes the one before `start`; -1 without one. */
  private closing(start: number): number {
    let depth = 1
    for (let at = start; at < this.text.length; at += 1) {
      const char = this.text[at]
      if (char === '\\') at += 1
      else if (char === "'" || char === '"') {
        const end = this.quoteEnd(at, char)
        if (end === -1) return -1
        at = end
      } else if (char === '(') depth += 1
      else if (char === ')') {
        depth -= 1
        if (depth === 0) return at
      }
    }
    return -1
  }

  private quoteEnd(start: number, quote: string): number {
    for (let at = start + 1; at < this.text.length; at += 1) {
      if (this.text[at] === '\\' && quote === '"') at += 1
      else if (this.text[at] === quote) return at
    }
    return -1
  }

  private lineEnd(): number {
    const end = this.text.indexOf('\n', this.at)
    return end === -1 ? this.text.length : end
  }

  private readLineEnd(): void {
    this.endPart(';')
    this.at += 1
    for (const { end, stripsTabs, owner } of this.documents.splice(0)) {
      const lines: string[] = []
      while (this.at < this.text.length) {
        const line = this.text.slice(this.at, this.lineEnd())
        this.at = Math.min(this.lineEnd() + 1, this.text.length)
        if ((stripsTabs ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      owner.input = lines.join('\n')
      if (owner.part !== undefined) owner.part.input = owner.input
    }
  }

  private readRedirection(): void {
    if (this.word !== null && !this.word.isQuoted && /^\d+$/.test(this.word.text)) this.word = null
    this.endWord(0)
    const [sign = ''] = /^(?:&>>?|<<<|<<-?|<>|>>|>\||[<>]&?)/.exec(this.text.slice(this.at, this.at + 3)) ?? []
    this.at += sign.length
    const from = this.at
    const target = this.readWord()
    if (sign === '<<' || sign === '<<-')
      this.documents.push({ end: target, stripsTabs: sign === '<<-', owner: this.draft })
    else if (sign === '<<<') this.draft.input = target
    // `cat < file` reads the same as `cat file`.
    else if (sign === '<' && this.isBegun() && target !== '' && target !== '/dev/null')
      this.draft.words.push({ text: target, from, to: this.at })
    else if (sign.includes('>') && !(sign === '>&' && /^(?:\d+|-)$/.test(target)) && target !== '')
      this.draft.writes.push(target)
  }

  /** Whether a redirection belongs to a command rather than to the end of a loop or a group. */
  private isBegun(): boolean {
    const [first] = this.draft.words
    return first !== undefined && !closing.has(first.text)
  }

  /** Reads the word that follows a redirection. */
  private readWord(): string {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at += 1
    const [words, from] = [this.draft.words.length, this.at]
    while (this.at < this.text.length && !/[\s;&|<>()]/.test(this.text[this.at] ?? '')) this.readNext()
    if (this.word === null || this.at === from) return ''
    const { text } = this.word
    this.word = null
    this.draft.words.length = words
    return text
  }

  private readOperator(char: string, next: string | undefined): void {
    const operator = next === char || (char === '|' && next === '&') ? char + next : char
    const length = operator.length
    this.endPart(operator === '|&' ? '|' : operator)
    this.at += length
  }

  private readParenthesis(char: string): void {
    // `name()` begins a function: its name is not a command.
    if (char === '(' && this.word !== null && this.text[this.at + 1] === ')') {
      this.word = null
      this.draft.words = []
      this.at += 2
      return
    }
    // Without a group that it could end, it follows the pattern of a `case`.
    if (char === ')' && this.groups === 0) this.word = null
    this.groups = Math.max(0, this.groups + (char === '(' ? 1 : -1))
    this.endPart(';')
    this.at += 1
  }

  private endWord(length: number): void {
    if (this.word !== null) this.draft.words.push({ text: this.word.text, from: this.word.from, to: this.at })
    this.word = null
    this.at += length
  }

  private giveUp(): void {
    this.unread += 1
    this.at = this.text.length
    this.word = null
  }

  private nested(text: string, offset: number): void {
    if (this.depth >= maxDepth) {
      this.unread += 1
      return
    }
    const reader = new ShellReader(text, offset, this.depth + 1)
    reader.read()
    this.parts.push(...reader.parts)
    this.unread += reader.unread
  }

  private endPart(operator: string): void {
    this.endWord(0)
    const { draft } = this
    const { words, writes } = draft
    this.draft = newDraft()
    while (words.length > 0 && opening.has(words[0]?.text ?? '')) words.shift()
    if (naming.has(words[0]?.text ?? '')) words.length = 0
    while (words.length > 0 && closing.has(words[0]?.text ?? '')) words.shift()
    const variables: string[] = []
    const startedBy: string[] = []
    unwrap(words, variables, startedBy)
    const [first] = words
    const last = words.at(-1)
    if (first === undefined && writes.length === 0) return
    const script = scriptOf(words.map(({ text }) => text))
    if (script !== undefined && this.depth < maxDepth) {
      // The quotes are gone, so what is inside has the place of the whole command.
      const inner = new ShellReader(script, 0, this.depth + 1)
      inner.read()
      this.unread += inner.unread
      const place = { from: this.offset + (first?.from ?? 0), to: this.offset + (last?.to ?? 0) }
      const isLast = (index: number) => index === inner.parts.length - 1
      for (const [index, part] of inner.parts.entries())
        this.parts.push({
          ...part,
          ...place,
          startedBy: [...startedBy, ...part.startedBy],
          writes: isLast(index) ? [...part.writes, ...writes] : part.writes,
        })
      return
    }
    const part = {
      words: words.map(({ text }) => text),
      from: this.offset + (first?.from ?? this.at),
      to: this.offset + (last?.to ?? this.at),
      input: draft.input,
      writes,
      startedBy,
      variables,
      operator,
    }
    draft.part = part
    this.parts.push(part)
  }
}

/** Programs that start the program named after their own options; those of `valued` take a value. */
const starters: Readonly<Record<string, { readonly valued: RegExp; readonly first?: true }>> = {
  sudo: { valued: /^-[ugphCD]$/ },
  doas: { valued: /^-[uC]$/ },
  env: { valued: /^-[uCS]$/ },
  timeout: { valued: /^-[ks]$/, first: true },
  nohup: { valued: /^$/ },
  setsid: { valued: /^$/ },
  nice: { valued: /^-n$/ },
  ionice: { valued: /^-[cnp]$/ },
  stdbuf: { valued: /^$/ },
  command: { valued: /^$/ },
  builtin: { valued: /^$/ },
  exec: { valued: /^-a$/ },
  xargs: { valued: /^-[aEeIiLlnPsd]$/ },
  faketime: { valued: /^$/, first: true },
}
const assignment = /^[A-Za-z_]\w*\+?=/

/** Removes variables and starting programs from the beginning of a command. */
function unwrap(words: Word[], variables: string[], startedBy: string[]): void {
  for (;;) {
    const text = words[0]?.text ?? ''
    if (assignment.test(text)) variables.push(words.shift()?.text ?? '')
    else {
      const name = programName(text)
      const starter = Object.hasOwn(starters, name) ? starters[name] : undefined
      if (starter === undefined || words.length < 2) return
      startedBy.push(name)
      words.shift()
      while (words.length > 1 && /^-/.test(words[0]?.text ?? '')) {
        const option = words.shift()?.text ?? ''
        if (starter.valued.test(option)) words.shift()
      }
      if (starter.first === true && words.length > 1) words.shift()
    }
  }
}

/** The name of a program without its directory. */
export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

/** The script that a shell or `eval` gets as an argument. */
function scriptOf(words: readonly string[]): string | undefined {
  const [program = '', ...args] = words
  if (program === 'eval') return args.join(' ')
  if (!/^(?:ba|z|da|k)?sh$/.test(programName(program))) return undefined
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word))
  return at === -1 ? undefined : args[at + 1]
}
