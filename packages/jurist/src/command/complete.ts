import { resolve } from 'node:path'
import type { Flag } from '@jurist/experiment/plugin'
import { Command } from 'commander'
import { commanderOption } from '../command-kit/subcommand.js'
import {
  type Candidate,
  completesOf,
  isShowable,
  type NamePlace,
  type Offer,
  projectNames,
} from '../commands/completion/project-names.js'
import { bashReplacement, wordsOfLine } from '../commands/completion/shells.js'
import { commandNamed, commandNames } from './catalog.js'
import { calledWords, withGlobalFlags } from './program.js'

/**
 * The maximum time that a shell waits for a list: enough for a busy machine, but limited in case a disk does not
 * answer.
 */
const patienceMs = 10_000
const mostCandidates = 2_000

/**
 * Answers a shell with a line that describes the list (`words`, `open` for an unfinished word, `files`, `directories`),
 * followed by a line for each candidate, for zsh and fish with its description after a tab. After any error, nothing is
 * offered.
 *
 * @param request the name of the shell; for bash the line up to the cursor and `COMP_WORDBREAKS`; for the others the
 * words before the cursor, and the last word
 */
export async function answerShell([shell, ...request]: readonly string[]): Promise<void> {
  const late = setTimeout(() => process.exit(0), patienceMs)
  const answer = await (shell === 'bash' ? bashAnswer(request) : wordsAnswer(request)).catch(() => '')
  clearTimeout(late)
  process.stdout.write(`${answer}\n`, () => process.exit(0))
}

async function bashAnswer([line = '', breaks = '']: readonly string[]): Promise<string> {
  const { before, last } = wordsOfLine(line)
  const offer = await offerFor(before.slice(1), last.value)
  if ('paths' in offer) return offer.paths
  return listed(fitting(offer.candidates, last.value), ({ value }) => bashReplacement(last, value, breaks))
}

async function wordsAnswer(words: readonly string[]): Promise<string> {
  const last = words.at(-1) ?? ''
  const offer = await offerFor(words.slice(0, -1), last)
  if ('paths' in offer) return offer.paths
  // The shell compares the candidates itself, since only it can interpret quotes in the last word.
  return listed(fitting(offer.candidates, /['"\\]/.test(last) ? '' : last), ({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  )
}

function listed(candidates: readonly Candidate[], line: (candidate: Candidate) => string): string {
  const isOpen = candidates.length > 0 && candidates.every(({ value }) => value.endsWith('='))
  return [isOpen ? 'open' : 'words', ...candidates.slice(0, mostCandidates).map(line)].join('\n')
}

function fitting(candidates: readonly Candidate[], begin: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(begin) && isShowable(value))
}

/** A flag that may appear on the line. */
interface KnownFlag {
  readonly names: readonly string[]
  readonly help: string
  readonly usage: string
  readonly isRepeatable: boolean
  /** Whether a value follows. */
  readonly takes: 'nothing' | 'perhaps' | 'value'
  readonly declared?: Flag<unknown>
}

async function offerFor(before: readonly string[], last: string): Promise<Offer> {
  const general = generalFlags()
  const { called, meant, flags: own, actions } = await commandIn(before)
  const flags = [...own, ...general]
  const { given, positional, open } = readWords(before, flags)
  const place = placeOf(given, before)
  if (open?.takes === 'value') return valueOffer(open, '', place)
  const [, name] = /^(--[\w-]+)=/.exec(last) ?? []
  const assigned = flags.find(({ names, takes }) => name !== undefined && takes !== 'nothing' && names.includes(name))
  if (assigned !== undefined) return valueOffer(assigned, `${name}=`, place)
  if (last.startsWith('-')) return { candidates: flagCandidates(flags, given) }
  if (called === 0) return { candidates: await commandCandidates() }
  const at = positional.length - called
  const argument = meant?.arguments[at] ?? meant?.arguments.findLast(([usage]) => usage.includes('...'))
  const fromArgument = argument === undefined ? { candidates: [] } : await offerOf(argument[0], argument[2], place)
  if (before.at(-1) === calledWords(before)[0] && !('paths' in fromArgument)) {
    const parts = Object.entries(actions).map(([value, { summary }]) => ({ value, description: summary }))
    return { candidates: [...parts, ...fromArgument.candidates] }
  }
  if (open === undefined) return fromArgument
  const fromFlag = await valueOffer(open, '', place)
  return 'paths' in fromFlag || 'paths' in fromArgument
    ? fromFlag
    : { candidates: [...fromFlag.candidates, ...fromArgument.candidates] }
}

function commandCandidates(): Promise<readonly Candidate[]> {
  return Promise.all(
    commandNames.map(async (value) => ({ value, description: (await commandNamed(value))?.summary ?? '' })),
  )
}

/** Finds the command or the action, the number of words that name it, and the actions that may follow. */
async function commandIn(before: readonly string[]) {
  const [name, word] = calledWords(before)
  const command = name === undefined ? undefined : await commandNamed(name)
  const actions = command?.actions ?? {}
  const action = word !== undefined && Object.hasOwn(actions, word) ? actions[word] : undefined
  const meant = await (action ?? command)?.load?.()
  const flags = Object.values(meant?.flags ?? {}).map((one) => knownFlag(commanderOption(one), one))
  if (action !== undefined) return { called: 2, meant, flags, actions: {} }
  return { called: name === undefined ? 0 : 1, meant, flags, actions }
}

function generalFlags(): readonly KnownFlag[] {
  const { options } = withGlobalFlags(new Command())
  const help = {
    names: ['--help', '-h'],
    help: 'display help',
    usage: '',
    isRepeatable: false,
    takes: 'nothing' as const,
  }
  return [...options.map((option) => knownFlag(option)), help]
}

function knownFlag(option: ReturnType<typeof commanderOption>, declared?: Flag<unknown>): KnownFlag {
  return {
    names: [option.long, option.short].filter((name) => name !== undefined && name !== null),
    help: option.description,
    usage: option.flags,
    isRepeatable: declared?.isRepeatable ?? false,
    takes: option.required ? 'value' : option.optional ? 'perhaps' : 'nothing',
    declared,
  }
}

interface Read {
  /** The values of flags by name. */
  readonly given: ReadonlyMap<string, string>
  readonly positional: readonly string[]
  /** The flag whose value the next word is or may be. */
  readonly open: KnownFlag | undefined
}

function readWords(words: readonly string[], flags: readonly KnownFlag[]): Read {
  const given = new Map<string, string>()
  const positional: string[] = []
  let open: KnownFlag | undefined
  for (const word of words) {
    const [name = '', ...value] = word.split('=')
    if (open !== undefined && (open.takes === 'value' || !word.startsWith('-'))) {
      for (const one of open.names) given.set(one, word)
      open = undefined
      continue
    }
    const flag = word.startsWith('-') ? flags.find(({ names }) => names.includes(name)) : undefined
    if (!word.startsWith('-')) positional.push(word)
    for (const one of flag?.names ?? []) given.set(one, value.join('='))
    open = flag !== undefined && flag.takes !== 'nothing' && value.length === 0 ? flag : undefined
  }
  return { given, positional, open }
}

function placeOf(given: ReadonlyMap<string, string>, words: readonly string[]): NamePlace {
  const [cwd, config, results] = ['--cwd', '--config', '--results'].map((name) => given.get(name))
  return { cwd: resolve(cwd ?? '.'), config, results, words }
}

function flagCandidates(flags: readonly KnownFlag[], given: ReadonlyMap<string, string>): readonly Candidate[] {
  return flags
    .filter(({ names, isRepeatable }) => isRepeatable || !names.some((name) => given.has(name)))
    .flatMap(({ names: [long], help }) => (long === undefined ? [] : [{ value: long, description: help }]))
}

async function valueOffer(flag: KnownFlag, before: string, place: NamePlace): Promise<Offer> {
  const declared = flag.declared?.options.completes ?? flag.declared?.values
  const offer = await offerOf(flag.usage, declared, place)
  if ('paths' in offer || before === '') return offer
  return { candidates: offer.candidates.map(({ value, ...rest }) => ({ value: `${before}${value}`, ...rest })) }
}

async function offerOf(usage: string, declared: Parameters<typeof completesOf>[1], place: NamePlace): Promise<Offer> {
  const kind = completesOf(usage, declared)
  if (kind === undefined) return { candidates: [] }
  if (kind === 'file') return { paths: 'files' }
  if (kind === 'directory') return { paths: 'directories' }
  if (typeof kind !== 'string') return { candidates: kind.map((value) => ({ value })) }
  return { candidates: await projectNames(kind, place) }
}
