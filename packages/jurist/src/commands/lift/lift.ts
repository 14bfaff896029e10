import { resolve } from 'node:path'
import type { Provision } from '@jurist/experiment'
import type { Lift, Triggers } from '@jurist/experiment/internal'
import { liftHeadline } from '@jurist/experiment/internal/results'
import { type FlagValues, flag, oneOf, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { allowing } from '../../command-kit/configured-experiment.js'
import { checkOutputFile, reportWritten } from '../../command-kit/files.js'
import { interruptible } from '../../command-kit/host.js'
import { resultsOf } from '../../command-kit/results-store.js'
import {
  defined,
  dollarAmount,
  fileEndingIn,
  grouped,
  rate,
  type Subcommand,
  subcommand,
} from '../../command-kit/subcommand.js'
import type { LiftStudy } from '../../config/config.js'
import { describedJudges } from '../../config/described-judges.js'
import type { LoadedConfig } from '../../config/load-config.js'
import { unknownAmong } from '../../config/problems.js'
import { agentNamed, type LiftAgent } from './agents.js'
import { armsOf, checkLoading, type Loading, type Study } from './arms.js'
import { explain, readAsked, tasksOf } from './asked.js'
import { type Findings, liftMarkdown, liftText, powerText } from './report.js'
import { runStudy } from './studied.js'
import { readSubject, type Subject, subjectKinds, versionOf } from './subject.js'
import { writeStudy } from './write-study.js'

const gates = ['hurts', 'not-helps', 'nothing'] as const

const flags = {
  agent: flag('--agent <name>', 'claude, codex, or one of "agents" in the config', text),
  model: flag('--model <name>', 'the model of the agent', text),
  into: flag(
    '--into <path>',
    'where an agent of the config looks for it: below its home, for --file in the workspace (default: .agents/skills, or the name of the file)',
    text,
  ),
  ...grouped('Instead of a skill', {
    file: flag('--file <file>', 'instructions, such as AGENTS.md', text),
    mcp: flag('--mcp <file>', 'servers of MCP: a JSON file with "mcpServers"', text),
    plugin: flag('--plugin <directory>', 'a plugin of Claude Code', text),
  }),
  against: flag('--against <revision>', 'compare with this commit, directory or file instead of with nothing', text),
  ...grouped('What is asked', {
    evals: flag('--evals <file>', 'the evals (default: evals/evals.json beside it)', text),
    dataset: flag('--dataset <path>', 'a dataset whose items have judges, instead of evals', text),
    triggers: toggle('--triggers', 'only the trigger queries'),
    noTriggers: toggle('--no-triggers', 'no trigger queries'),
    judgeModel: flag(
      '--judge-model <name>',
      'one of "models" in the config, for assertions that no rule decides',
      text,
    ),
    countObedience: toggle('--count-obedience', 'count assertions that name the skill or its files, too'),
  }),
  ...grouped('Which trials', {
    item: repeatable('--item <id>', 'only evals with this id', text),
    repeat: flag('--repeat <n>', 'repetitions of each eval in each arm (default: 3)', whole(1)),
    budget: flag('--budget <usd>', 'stop when this amount does not suffice, or is spent', dollarAmount),
    allowHost: repeatable('--allow-host <host>', "a further host for commands of the sandbox's allow-list", text),
    concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1)),
    resume: toggle('--resume', 'continue the newest unfinished study of it'),
  }),
  ...grouped('Gates', {
    failOn: flag('--fail-on <what>', `when to exit with code 1: ${gates.join(', ')} (default: hurts)`, oneOf(gates), {
      default: 'hurts',
    }),
    maxCostRatio: flag(
      '--max-cost-ratio <ratio>',
      'the required upper bound of the ratio of costs, such as 1.2',
      (given, name) => {
        if (/^\d+(\.\d+)?$/.test(given) && Number(given) > 0) return Number(given)
        throw usageInvalid(name, `${name} must be a number above 0, such as 1.2 (got "${given}").`)
      },
    ),
    minSensitivity: flag('--min-sensitivity <rate>', 'the required lower bound of firing where it should', rate),
    maxFalse: flag('--max-false <rate>', 'the required upper bound of firing where it should not', rate),
  }),
  output: repeatable(
    '-o, --output <file>',
    'write the report as Markdown to a file that ends in .md',
    fileEndingIn('.md'),
  ),
  check: toggle('--check', 'check only what each arm loads; no model is asked'),
  explainAssertions: toggle('--explain-assertions', 'print what judges each assertion, run nothing'),
  write: flag('--write <directory>', 'write the study as a project to change, run nothing', text),
  unproven: toggle('--unproven', 'accept an agent whose loading cannot be checked'),
} as const

export const lift: Subcommand = subcommand({
  arguments: [['[skill]', 'the directory of a skill, with SKILL.md and evals/evals.json', 'directory']],
  flags,
  examples: [
    'lift skills/pdf --agent claude --model claude-sonnet-4-6 --judge-model small',
    'lift skills/pdf --agent codex --check',
    'lift --file AGENTS.md --agent codex --dataset tasks',
    'lift skills/pdf --agent claude --against main',
  ],
  note: 'Two arms that differ in nothing but the subject, in new and empty homes. An arm that did not load it is an error (exit code 3).',
  check({ file, mcp, plugin, dataset, triggers, noTriggers, minSensitivity, maxFalse, ...given }, problem, [skill]) {
    const subjects = [skill, file, mcp, plugin].filter((one) => one !== undefined)
    if (subjects.length !== 1)
      problem(
        'skill',
        `Name one subject: the directory of a skill, --file, --mcp or --plugin (got ${subjects.length}).`,
      )
    if (dataset !== undefined && given.evals !== undefined) problem('--dataset', 'Use --dataset or --evals, not both.')
    if (triggers && (file !== undefined || dataset !== undefined))
      problem(
        '--triggers',
        `${file === undefined ? 'A dataset has' : 'Instructions have'} no trigger queries. Leave --triggers out.`,
      )
    if (noTriggers && (minSensitivity !== undefined || maxFalse !== undefined))
      problem('--no-triggers', '--min-sensitivity and --max-false need the trigger queries. Leave --no-triggers out.')
  },
  async run(host, [named], flags) {
    const loaded = await host.configIfAny()
    const { config, plugins, directory } = loaded ?? { config: {}, plugins: [], directory: host.cwd }
    const read = chosenBy(flags, named, { config, directory })
    const { repeat, provision } = read
    const kind = subjectKinds.find((one) => read[one] !== undefined) ?? 'skill'
    const path = read[kind] ?? ''
    const subject = await readSubject(kind, path, host.cwd)
    for (const warning of subject.warnings) host.note(`warning: ${subject.name}: ${warning}.`)
    const asked = await readAsked(host, subject, read)
    if (read.explainAssertions) return explain(host, asked.judged ?? [])
    const models = config.models ?? {}
    if (read.judgeModel !== undefined && !Object.hasOwn(models, read.judgeModel))
      throw usageInvalid(
        '--judge-model',
        `There is no model "${read.judgeModel}" in the config.${unknownAmong(read.judgeModel, Object.keys(models))}`,
      )
    const agent = agentNamed(read.agent, read.into, config.agents ?? {})
    const results = await resultsOf(host)
    for (const file of read.output) await checkOutputFile(host, '--output', file)
    if (read.write !== undefined) {
      const tasks = await tasksOf(host, results, subject, asked, read)
      if (!Array.isArray(tasks?.dataset))
        throw usageInvalid('--write', '--write needs evals: leave --dataset and --triggers out.')
      await writeStudy(host, read.write, subject, tasks.dataset, {
        ...read,
        agent: agent.name,
        repetitions: repeat,
      })
      return 0
    }
    using interrupt = interruptible(host)
    const { signal } = interrupt
    await using other =
      read.against === undefined ? null : await versionOf(kind, path, read.against, { cwd: host.cwd, signal })
    if (other?.subject.hash === subject.hash)
      throw usageInvalid('--against', `${path} and ${read.against} are equal: nothing differs. Name another version.`)
    const study: Study = { subject, against: other?.subject ?? null }
    for (const one of [subject, other?.subject]) if (one !== undefined) agent.place(one)
    const given = { name: subject.name, ...defined({ provision }) }
    const places = { provision, ...allowing(given, read.allowHost) }
    const loading = await checkLoading(agent, study, { ...places, isUnprovenAllowed: read.unproven, signal })
    host.note(loadingText(agent, study, loading))
    if (read.check) {
      if (host.flags.json === true) host.json({ subject: subject.name, hash: subject.hash, loading })
      return 0
    }
    const tasks = await tasksOf(host, results, subject, asked, read)
    if (tasks !== null) host.note(powerText(tasks.planned, repeat))
    const common = {
      ...{ ...defined(places), repetitions: repeat, store: results.store },
      describedJudges: describedJudges({ ...config, plugins }),
      // Another version of the agent cannot continue a study.
      conditions: { program: loading.program },
      ...defined({ model: read.model, concurrency: read.concurrency }),
    }
    const parts = { agent, study, tasks, queries: asked.queries, common, budget: read.budget }
    const done = await runStudy(host, results, parts, { resume: read.resume, signal })
    if (signal.aborted) {
      host.note('Finished trials are stored. Repeat the command with --resume to continue.')
      return 130
    }
    if (done === null) {
      host.note('An arm did not run, so nothing is decided.')
      return 3
    }
    const arms = armsOf(study).map(({ name }) => name)
    const findings: Findings = { ...done, arms, queries: asked.queries, isProven: loading.proof !== 'none' }
    const { lift: measured, triggers, sessions } = done
    if (host.flags.json === true)
      host.json({
        ...{ subject: subject.name, hash: subject.hash, agent: agent.name, session: sessions[0] ?? null, loading },
        headline: measured === null ? null : liftHeadline(measured),
        ...{ ...measured, triggers },
      })
    else {
      host.terminal.out(liftText(findings, host.terminal.columns))
      host.terminal.out(
        `\n${[...new Set(sessions)].map((one) => `  ${host.terminal.command('show', one)}\n`).join('')}`,
      )
    }
    const report = liftMarkdown(subject.name, liftText(findings, reportColumns))
    const written = await Promise.all(read.output.map((file) => reportWritten(host, file, report)))
    if (written.includes(false) || measured?.pValue === null || (measured === null && isUndecided(triggers))) return 3
    return isMissed(measured, triggers, read) ? 1 : 0
  },
})

const reportColumns = 100

type LiftFlags = FlagValues<typeof flags>

interface Chosen extends Omit<LiftFlags, 'repeat'> {
  readonly skill?: string | undefined
  readonly repeat: number
  readonly provision?: Provision | undefined
}

/** The flags, over the settings of the study with that name in the config. */
function chosenBy(read: LiftFlags, named: string | undefined, { config, directory }: Configured): Chosen {
  const studies = config.lift ?? {}
  const isStudy = named !== undefined && Object.hasOwn(studies, named)
  const { repetitions = 3, ...study }: LiftStudy = (isStudy && studies[named]) || defined({ skill: named })
  const from = (path: string | undefined) => (isStudy && path !== undefined ? resolve(directory, path) : path)
  const [skill, file, mcp, plugin] = [study.skill, study.file, study.mcp, study.plugin].map(from)
  const paths = defined({ skill, file, mcp, plugin, evals: from(study.evals), dataset: from(study.dataset) })
  return { ...read, ...study, ...paths, ...defined(read), repeat: read.repeat ?? repetitions }
}

type Configured = Pick<LoadedConfig, 'config' | 'directory'>

function loadingText({ place }: LiftAgent, { subject, against }: Study, { proof, program }: Loading): string {
  if (proof === 'none') return 'check  unproven: the agent asked no model'
  const offered = (one: Subject) => `offered as "${one.kind === 'file' ? place(one) : one.name}"`
  const arms =
    against === null
      ? `without: not offered   with: ${offered(subject)}`
      : `before: ${offered(against)}   after: ${offered(subject)}`
  return `check  ${arms}${program === null ? '' : `   ${program}`}`
}

function isUndecided(triggers: Triggers | null): boolean {
  return triggers !== null && triggers.should.trials.of + triggers.shouldNot.trials.of === 0
}

interface Gates {
  readonly failOn: (typeof gates)[number]
  readonly maxCostRatio: number | undefined
  readonly minSensitivity: number | undefined
  readonly maxFalse: number | undefined
}

/** A bound that is unknown meets no gate. */
function isMissed(
  lift: Lift | null,
  triggers: Triggers | null,
  { failOn, maxCostRatio, minSensitivity, maxFalse }: Gates,
): boolean {
  const isAbove = (bound: number | undefined, most: number | undefined) =>
    most !== undefined && !((bound ?? Number.POSITIVE_INFINITY) <= most)
  return (
    isAbove(lift?.costUsd?.interval?.high, maxCostRatio) ||
    isAbove(triggers?.shouldNot.interval?.high, maxFalse) ||
    (minSensitivity !== undefined && !((triggers?.should.interval?.low ?? 0) >= minSensitivity)) ||
    (lift !== null &&
      ((failOn === 'hurts' && lift.conclusion === 'hurts') || (failOn === 'not-helps' && lift.conclusion !== 'helps')))
  )
}
