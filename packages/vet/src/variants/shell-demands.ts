import { posix } from 'node:path'
import { programName, shellParts } from '@jurist/experiment/internal'
import { scriptOf } from '../settings/verifier-script.js'
import type { Demand } from './hidden-demand.js'

/** A word of a command, with its place; `''` for what is known only when it runs. */
export interface CommandWord {
  readonly word: string
  readonly at: number
}

/** Programs that run the file that follows. */
const interpreters = /^(?:node|tsx|ts-node|bun|deno|python[\d.]*|java|ruby|perl|php|bash|sh|uv|npx|pnpm|yarn|npm|exec)$/
/** Programs that every machine has, or that run the tests. */
const usual =
  /^(?:apt|apt-get|awk|basename|cat|cd|chmod|chown|cmp|comm|cp|curl|cut|date|diff|dirname|docker|echo|env|exit|export|false|file|find|git|grep|gzip|head|jq|kill|ln|ls|make|md5sum|mkdir|mv|nc|pip\d?|printf|ps|pwd|pytest|rm|sed|set|sha\d+sum|sleep|sort|source|sqlite3|stat|tail|tar|tee|test|touch|tr|trap|true|uniq|unzip|wait|wc|wget|which|xargs|zip|vitest|jest|mocha|javac|mvn|gradle|\[|\[\[|\.|:)$/

/** The subcommand, the flags and the files of programs that a command demands. */
export function commandDemands(words: readonly CommandWord[]): readonly Demand[] {
  let rest = words.filter(({ word }) => !/^\w+=/.test(word))
  const found: Demand[] = words.flatMap(({ word, at }) => {
    const name = /^([A-Z]\w+)=/.exec(word)?.[1]
    return name === undefined ? [] : [{ kind: 'variable' as const, word: name, at }]
  })
  const program = programName(rest[0]?.word ?? '')
  if (usual.test(program)) return found
  if (program === '' || interpreters.test(program)) {
    const script = rest.findIndex(({ word }, index) => index > 0 && !word.startsWith('-'))
    // The code that follows is not a command.
    if (script === -1 || rest.slice(1, script).some(({ word }) => /^-[a-z]*[ce]$|^--eval$/.test(word))) return found
    const { word, at } = rest[script] as CommandWord
    const isFile = /[./]/.test(word) && !word.startsWith('/tests/')
    if (word !== '' && usual.test(word)) return found
    if (isFile) found.push({ kind: 'path', word: posix.basename(word), at })
    // What follows an unknown program is its script, or already its subcommand.
    rest = program === '' && word !== '' && !isFile ? rest.slice(script) : rest.slice(script + 1)
  } else {
    const [first] = rest
    if (first !== undefined && program.length > 2 && !first.word.startsWith('-') && !first.word.startsWith('$'))
      found.push({ kind: first.word.includes('/') ? 'path' : 'command', word: program, at: first.at })
    rest = rest.slice(first?.word.startsWith('-') === true ? 0 : 1)
  }
  const [first] = rest
  if (first !== undefined && /^[a-z][a-z-]{2,}$/.test(first.word)) found.push({ kind: 'command', ...first })
  for (const { word, at } of rest) {
    const flag = /^--[a-z][\w-]+/.exec(word)?.[0]
    if (flag !== undefined && !/^--(?:help|version)$/.test(flag)) found.push({ kind: 'flag', word: flag, at })
  }
  return found
}

/** The words of a command line. */
export function wordsOf(line: string, at: number): readonly (readonly CommandWord[])[] {
  return shellParts(line).parts.map(({ words, variables }) => [
    ...variables.map((word) => ({ word: `${word}=`, at })),
    ...words.map((word) => ({ word: word.startsWith('$') ? '' : word, at })),
  ])
}

const reading = /^(?:cat|grep|diff|cmp|test|\[|\[\[|head|tail|jq|wc|stat|sha\d+sum|md5sum|python[\d.]*)$/

/** The demands of a script of a shell that judges: the files that it reads and the programs that it runs. */
export function shellDemands(script: string): readonly Demand[] | undefined {
  const parts = scriptOf(script)
  const written = new Set(parts?.flatMap(({ writes }) => writes))
  return parts?.flatMap(({ words, from }) => {
    const all = words.map((word) => ({ word: word.startsWith('$') ? '' : word, at: from }))
    const isReading = reading.test(programName(words[0] ?? ''))
    const paths = words
      .slice(1)
      .filter((word) => /^\/(?!tests\/|logs\/|dev\/|tmp\/|usr\/|etc\/|proc\/)[\w./-]+\.\w+$/.test(word))
    const files = isReading ? paths.filter((path) => !written.has(path)) : []
    const isOfTests = words.some((word) => /(?:^|\/)(?:pytest|vitest|jest|unittest)$|^\/tests\//.test(word))
    return [
      ...files
        .filter((path) => !/(?:^|\/)test_[^/]*$/.test(path))
        .map((path): Demand => ({ kind: 'path', word: posix.basename(path), at: from })),
      ...(isOfTests ? [] : commandDemands(all)),
    ]
  })
}
