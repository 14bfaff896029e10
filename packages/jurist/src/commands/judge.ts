import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { consensus, type Judge, JuristError, type Jury, judgmentContext, juryOf, type Verdict } from '@jurist/core'
import { endsWithin, executionStatusWords, isJury } from '@jurist/core/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { existingDirectory, type FlagValues, flag, oneOf, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { copyOf, localWorkspace, type ProvisionedWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import { ended, type Host, interruptible } from '../command-kit/host.js'
import { type Asking, cacheHelp, judgeCache } from '../command-kit/judge-cache.js'
import { json, jsonObject, milliseconds, type Subcommand, subcommand } from '../command-kit/subcommand.js'
import { describedJury } from '../config/described-jury.js'
import { loadModule } from '../config/module-config.js'
import { collectIssues, configInvalid, juriesInstead } from '../config/problems.js'
import { verdictReport } from '../terminal/trial-report.js'

const flags = {
  jury: flag(
    '--jury <name|file>',
    'a jury of the config (default: the only one), or a module whose default export is one',
    text,
    { completes: 'jury' },
  ),
  judge: flag('--judge <json>', 'a judge or jury as JSON, as in a YAML config', json),
  goal: flag('--goal <text>', 'the task', text),
  before: flag('--before <dir>', 'the initial state', text),
  reference: flag('--reference <dir>', 'the reference solution', text),
  outputFile: flag('--output-file <file>', "the agent's answer; - reads stdin", text),
  expected: flag('--expected <file>', 'the expected answer; - reads stdin', text),
  status: flag(
    '--status <status>',
    `how the agent ended: ${executionStatusWords.join(', ')} (default: success)`,
    oneOf(executionStatusWords),
    {
      default: 'success',
    },
  ),
  metadata: flag('--metadata <json>', 'metadata for judges', jsonObject, { default: {} }),
  inPlace: toggle('--in-place', 'judge the directory itself (default: a copy)'),
  timeout: flag('--timeout <duration>', 'time limit for all judges together', milliseconds),
  cache: toggle('--cache', cacheHelp),
  verdict: toggle('--verdict', 'print the verdict as JSON'),
} as const

type JudgeFlags = FlagValues<typeof flags>

export const judge: Subcommand = subcommand({
  arguments: [['<directory>', 'the directory to judge']],
  flags,
  examples: ['judge .', 'judge . --jury rules', 'judge out --judge \'{"type":"file-exists","path":"README.md"}\''],
  check({ jury, judge, outputFile, expected }, problem) {
    if (jury !== undefined && judge !== undefined)
      problem('--jury', 'Use either --jury <name or file> or --judge <json>.')
    if (outputFile === '-' && expected === '-')
      problem('--expected', 'stdin can be read once: use --output-file - or --expected -, not both.')
  },
  async run(host, [given], read) {
    const directory = await existingDirectory(given, 'directory', host.cwd)
    const found = read.judge === undefined ? await namedJury(host, read.jury) : await describedByFlag(host, read.judge)
    refuseMissingKeys([{ jury: found }])
    using answers = await judgeCache(host, read.cache)
    const jury = isJury(found) ? found : juryOf(consensus(), found)
    const verdict = await verdictOn(host, directory, jury, read, answers.asking)
    const { status } = verdict.aggregated
    if (host.flags.json === true || read.verdict) host.json(verdict)
    else host.terminal.out(`${verdictReport(verdict, host.terminal)}\n`)
    return ended(host, status === 'pass' ? 0 : status === 'error' ? 3 : 1, `the verdict is ${status}`)
  },
})

/** Returns the only jury of the config. */
async function onlyJury(host: Host): Promise<Jury | Judge> {
  const { juries = {} } = (await host.configIfAny())?.config ?? {}
  const [first, ...others] = Object.entries(juries)
  if (first !== undefined && others.length === 0) return first[1]
  const names = Object.keys(juries).join(', ')
  const available = names === '' ? 'No config has a jury.' : `Available: ${names}.`
  throw usageInvalid('--jury', `Use either --jury <name or file> or --judge <json>. ${available}`)
}

/** Returns a jury of the config by name, or the default export of a module. */
async function namedJury(host: Host, name: string | undefined): Promise<Jury | Judge> {
  if (name === undefined) return onlyJury(host)
  const path = resolve(host.cwd, name)
  const isFile = await stat(path)
    .then((found) => found.isFile())
    .catch(() => false)
  if (isFile) {
    const exported = await loadModule(path)
    if (typeof exported === 'function') return exported as Judge
    const issue = { path: 'default', problem: 'must be a jury or a judge.', remedy: 'Write: export default jury({…}).' }
    throw configInvalid(path, [issue])
  }
  if (/[/\\]|\.[mc]?[jt]s$/.test(name))
    throw usageInvalid('--jury', `${name} does not exist. Name a module that exports a jury.`)
  const { config, file } = await host.config()
  const juries = config.juries ?? {}
  const found = Object.hasOwn(juries, name) ? juries[name] : undefined
  if (found !== undefined) return found
  throw usageInvalid('--jury', `No jury "${name}" in ${basename(file)}.${juriesInstead(name, juries)}`)
}

/** Returns the jury of `--judge <json>`. */
async function describedByFlag(host: Host, value: unknown): Promise<Jury | Judge> {
  const { issues, report } = collectIssues()
  const { juries = {}, models = {} } = (await host.configIfAny())?.config ?? {}
  const found = await describedJury(value, [], { directory: host.cwd, report, juries, models })
  if (found !== undefined && issues.length === 0) return found
  throw usageInvalid(
    '--judge',
    issues
      .map(({ path, problem, remedy }) => ['--judge', path && `${path}:`, problem, remedy].filter(Boolean).join(' '))
      .join('\n'),
  )
}

async function verdictOn(
  host: Host,
  directory: string,
  jury: Jury,
  read: JudgeFlags,
  judging: Asking,
): Promise<Verdict> {
  const fixed = async (flag: string, name: 'before' | 'reference') => {
    const given = read[name]
    return given === undefined
      ? {}
      : { [name]: readOnly(localWorkspace(await existingDirectory(given, flag, host.cwd))) }
  }
  const given = await allOrEveryProblem([
    fixed('--before', 'before'),
    fixed('--reference', 'reference'),
    textOf(host, '--output-file', read.outputFile, 'agentOutput'),
    textOf(host, '--expected', read.expected, 'expectedOutput'),
  ])
  const context = {
    status: read.status,
    metadata: read.metadata,
    goal: read.goal,
    ...Object.assign({}, ...given),
  }
  using interrupt = interruptible(host, () => 'Stopping.')
  await using workspace = read.inPlace
    ? localWorkspace(directory, { judges: 'in-place' })
    : await judgedCopy(directory, host)
  const limit = read.timeout === undefined ? [] : [AbortSignal.timeout(read.timeout)]
  const signal = AbortSignal.any([interrupt.signal, ...limit])
  endsWithin(signal, read.timeout)
  const verdict = await jury.vote(judgmentContext({ ...context, workspace, signal, judging }))
  // A verdict after an interrupt proves nothing about the directory.
  if (interrupt.signal.aborted) throw new JuristError('aborted', 'Judging was interrupted.', { reason: 'interrupted' })
  return verdict
}

/** Returns the values of all promises, or reports all usage errors together. */
async function allOrEveryProblem(parts: readonly Promise<object>[]): Promise<readonly object[]> {
  const settled = await Promise.allSettled(parts)
  const thrown = settled.flatMap((part) => (part.status === 'rejected' ? [part.reason as unknown] : []))
  const refused = thrown.flatMap((one) => (JuristError.is(one, 'usage-invalid') ? [one] : []))
  if (refused.length < thrown.length) throw thrown.find((one) => !JuristError.is(one, 'usage-invalid'))
  const [first] = refused
  if (first !== undefined) throw usageInvalid(first.details.argument, refused.map(({ message }) => message).join('\n'))
  return settled.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
}

async function textOf(host: Host, flag: string, given: string | undefined, key: 'agentOutput' | 'expectedOutput') {
  if (given === undefined) return {}
  if (given === '-') return { [key]: await readAll(process.stdin) }
  const text = await readFile(resolve(host.cwd, given), 'utf8').catch(() => {
    throw usageInvalid(flag, `${flag}: ${given} cannot be read. Give a text file.`)
  })
  return { [key]: text }
}

const noticedMs = 1_000
/** Directories of installers and builds, which take long to copy. */
const large: readonly string[] = ['node_modules', '.venv', 'venv', 'target', '.gradle', 'vendor']

/** Copies a directory, so that judges cannot change it. Prints a line if copying takes long. */
export async function judgedCopy(directory: string, { note }: Host): Promise<ProvisionedWorkspace> {
  const announce = () => note(`Copying ${directory} for the judges; --in-place judges the directory itself.`)
  const isLarge = large.some((name) => existsSync(join(directory, name)))
  if (isLarge) announce()
  const timer = isLarge ? undefined : setTimeout(announce, noticedMs)
  try {
    return await copyOf(directory)
  } finally {
    clearTimeout(timer)
  }
}
