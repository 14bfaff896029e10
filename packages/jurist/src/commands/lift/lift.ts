import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '@jurist/core'
import { type ExperimentOptions, type InlineItem, runSession } from '@jurist/experiment'
import { type Lift, liftOf } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { flag, oneOf, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import { checkOutputFile, reportWritten } from '../../command-kit/files.js'
import { type Host, interruptible } from '../../command-kit/host.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import {
  defined,
  dollarAmount,
  fileEndingIn,
  grouped,
  type Subcommand,
  subcommand,
} from '../../command-kit/subcommand.js'
import { describedJudges } from '../../config/described-judges.js'
import { unknownAmong } from '../../config/problems.js'
import { armAgent, arms, checkLoading, type LiftAgent } from './arms.js'
import { type AssertionJudge, judgesOf } from './assertion-judges.js'
import { headline, liftMarkdown, liftText, powerText } from './report.js'
import { type Eval, placeFiles, readEvals, readSkill, type Skill } from './skill.js'

const gates = ['hurts', 'not-helps', 'nothing'] as const

const flags = {
  agent: flag('--agent <name>', 'claude, codex, or one of "agents" in the config', text),
  model: flag('--model <name>', 'the model of the agent', text),
  skillsIn: flag(
    '--skills-in <path>',
    'where an agent of the config looks for skills, below its home (default: .agents/skills)',
    text,
  ),
  judgeModel: flag('--judge-model <name>', 'one of "models" in the config, for assertions that no rule decides', text),
  countObedience: toggle('--count-obedience', 'count assertions that name the skill or its files, too'),
  ...grouped('Which trials', {
    item: repeatable('--item <id>', 'only evals with this id', text),
    repeat: flag('--repeat <n>', 'repetitions of each eval in each arm (default: 3)', whole(1), { default: 3 }),
    budget: flag('--budget <usd>', 'stop when the trials of an arm have cost this much', dollarAmount),
    concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1)),
    resume: toggle('--resume', 'continue the newest unfinished study of the skill'),
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
  }),
  output: repeatable(
    '-o, --output <file>',
    'write the report as Markdown to a file that ends in .md',
    fileEndingIn('.md'),
  ),
  check: toggle('--check', 'check only what each arm loads; no model is asked'),
  explainAssertions: toggle('--explain-assertions', 'print what judges each assertion, run nothing'),
  unproven: toggle('--unproven', 'accept an agent whose loading cannot be checked'),
} as const

export const lift: Subcommand = subcommand({
  arguments: [['<skill>', 'the directory of a skill, with SKILL.md and evals/evals.json', 'directory']],
  flags,
  examples: [
    'lift skills/pdf --agent claude --model claude-sonnet-4-6 --judge-model small',
    'lift skills/pdf --agent codex --check',
  ],
  note: 'Two arms that differ in nothing but the skill, in new and empty homes. An arm that did not load it is an error (exit code 3).',
  async run(host, [given], read) {
    const skill = await readSkill(given, host.cwd)
    for (const warning of skill.warnings) host.note(`warning: ${skill.name}: ${warning}.`)
    const { evals, ownFiles, unknown } = await readEvals(skill)
    if (unknown.length > 0)
      host.note(`Fields of evals/evals.json that are not used: ${unknown.map(safeLine).join(', ')}.`)
    if (ownFiles.length > 0) host.note(`Not copied, since the skill brings them: ${ownFiles.map(safeLine).join(', ')}.`)
    const unknownItem = read.item.find((id) => !evals.some((one) => one.id === id))
    if (unknownItem !== undefined)
      throw usageInvalid(
        '--item',
        `There is no eval "${unknownItem}".${unknownAmong(
          unknownItem,
          evals.map(({ id }) => id),
        )}`,
      )
    const judged = evals
      .filter(({ id }) => read.item.length === 0 || read.item.includes(id))
      .map((one) => ({ eval: one, judges: judgesOf(one, skill, read.judgeModel) }))
    if (read.explainAssertions) return explain(host, judged)
    const { config, plugins } = (await host.configIfAny()) ?? { config: {}, plugins: [] }
    const models = config.models ?? {}
    if (read.judgeModel !== undefined && !Object.hasOwn(models, read.judgeModel))
      throw usageInvalid(
        '--judge-model',
        `There is no model "${read.judgeModel}" in the config.${unknownAmong(read.judgeModel, Object.keys(models))}`,
      )
    const agent = agentNamed(read.agent, read.skillsIn, config.agents ?? {})
    const results = await resultsOf(host)
    for (const file of read.output) await checkOutputFile(host, '--output', file)
    using interrupt = interruptible(
      host,
      () => 'Stopping: running trials are being cancelled (press again to exit immediately).',
    )
    const loading = await checkLoading(agent, skill, read.unproven, interrupt.signal)
    const isProven = loading.proof !== 'none'
    host.note(
      isProven
        ? `check  without: not offered   with: offered as "${skill.name}"`
        : 'check  unproven: the agent asked no model',
    )
    if (read.check) {
      if (host.flags.json === true) host.json({ skill: skill.name, hash: skill.hash, loading })
      return 0
    }
    const items = await itemsOf(host, results, skill, judged, read.countObedience)
    host.note(powerText(items.length, read.repeat))
    const experiment: ExperimentOptions = {
      name: `lift-${skill.name}`.slice(0, 64),
      dataset: items,
      describedJudges: describedJudges({ ...config, plugins }),
      repetitions: read.repeat,
      store: results.store,
      ...defined({
        model: read.model,
        concurrency: read.concurrency,
        budget: read.budget === undefined ? undefined : { usd: read.budget },
      }),
      variants: Object.fromEntries(
        await Promise.all(
          arms.map(async (arm) => [
            arm,
            {
              agent: armAgent(await agent.make(), agent, skill, arm),
              conditions: { lift: arm === 'with' ? skill.hash : null },
            },
          ]),
        ),
      ),
    }
    if (read.resume) await refuseOtherSkill(results, experiment.name, skill)
    const session = runSession<string>(experiment, {
      kind: 'lift',
      order: 'item',
      signal: interrupt.signal,
      resume: read.resume,
      onEvent: (event) => {
        if (event.type === 'warning' || event.type === 'experiment-stop') host.note(event.message)
      },
    })
    const { results: runs } = await session.result
    const [without, withIt] = arms.map((arm) => runs[arm])
    if (interrupt.signal.aborted) {
      host.note('Finished trials are stored. Repeat the command with --resume to continue.')
      return 130
    }
    if (without === undefined || withIt === undefined) {
      host.note('An arm did not run, so nothing is decided.')
      return 3
    }
    const measured = liftOf(without, withIt, items.length)
    if (host.flags.json === true)
      host.json({
        skill: skill.name,
        hash: skill.hash,
        agent: agent.name,
        session: session.session,
        loading,
        headline: headline(measured),
        ...measured,
      })
    else {
      host.terminal.out(`${liftText(measured, isProven)}\n`)
      host.terminal.out(`  ${host.terminal.command('show', session.session)}\n`)
    }
    const report = liftMarkdown(skill.name, liftText(measured, isProven))
    const written = await Promise.all(read.output.map((file) => reportWritten(host, file, report)))
    if (measured.pValue === null || written.includes(false)) return 3
    return isMissed(measured, read.failOn, read.maxCostRatio) ? 1 : 0
  },
})

/**
 * An arm that cannot go on would end the session, with only the other arm in it.
 *
 * @throws `usage-invalid` for a study of another state of the skill, and without an unfinished one
 */
async function refuseOtherSkill({ store }: Results, name: string, skill: Skill): Promise<void> {
  const known = await store.sessions.mostRecent(name)
  if (known?.status !== 'running')
    throw usageInvalid('--resume', `There is no unfinished study of ${skill.name}. Leave --resume out.`)
  const entry = known.variants.find(({ variant }) => variant === 'with')
  const run = entry && (await store.overview(entry.runId))
  if (run !== undefined && run.conditions['lift'] !== skill.hash)
    throw usageInvalid(
      '--resume',
      `${skill.name} has changed since this study began. Restore its files, or leave --resume out.`,
    )
}

function isMissed({ conclusion, costUsd }: Lift, failOn: (typeof gates)[number], most: number | undefined): boolean {
  const missesCost = most !== undefined && !((costUsd?.interval?.high ?? Number.POSITIVE_INFINITY) <= most)
  return (
    missesCost || (failOn === 'hurts' && conclusion === 'hurts') || (failOn === 'not-helps' && conclusion !== 'helps')
  )
}

function agentNamed(
  name: string | undefined,
  skillsIn: string | undefined,
  configured: NonNullable<LoadedAgents>,
): LiftAgent {
  const known = ['claude', 'codex', ...Object.keys(configured)]
  if (name === undefined)
    throw usageInvalid('--agent', `Name the agent: --agent ${known[0]}. Known: ${known.join(', ')}.`)
  const own = Object.hasOwn(configured, name) ? configured[name] : undefined
  if (own !== undefined) return { name, skillsIn: skillsIn ?? '.agents/skills', make: async () => own }
  if (name === 'claude')
    return {
      ...{ name, skillsIn: skillsIn ?? 'skills' },
      make: async () => {
        const { claudeCommand } = await import('@jurist/bridges/claude-agent')
        return claudeCommand({ settingSources: ['user'], environment: { allow: ['ANTHROPIC_*'] } })
      },
    }
  if (name === 'codex')
    return {
      ...{ name, skillsIn: skillsIn ?? '.agents/skills' },
      make: async (url) => {
        const { codexCommand } = await import('@jurist/bridges/codex')
        const provider = {
          name: 'recorded',
          base_url: `${url}/v1`,
          wire_api: 'responses',
          env_key: 'CODEX_API_KEY',
          request_max_retries: 0,
        }
        return codexCommand({
          environment: { allow: ['CODEX_API_KEY', 'OPENAI_*'] },
          ...(url === undefined
            ? {}
            : { config: { model_provider: 'recorded', model_providers: { recorded: provider } } }),
        })
      },
    }
  throw usageInvalid('--agent', `There is no agent "${name}".${unknownAmong(name, known)}`)
}

type LoadedAgents = NonNullable<Awaited<ReturnType<Host['configIfAny']>>>['config']['agents']

interface JudgedEval {
  readonly eval: Eval
  readonly judges: readonly AssertionJudge[]
}

function explain(host: Host, judged: readonly JudgedEval[]): 0 {
  const rows = judged.flatMap(({ eval: { id }, judges }) => judges.map((one) => ({ eval: id, ...one })))
  if (host.flags.json === true) host.json({ assertions: rows })
  else
    for (const { eval: id, text: sentence, by, judge, isObedience } of rows)
      host.terminal.out(
        `${safeLine(id)}  ${by}${isObedience ? ', obedience' : ''}  ${safeLine(sentence)}${by === 'rule' ? `\n    ${safeLine(JSON.stringify(judge))}` : ''}\n`,
      )
  return 0
}

/**
 * The evals that can be asked of both arms and judged, as items.
 *
 * @throws `usage-invalid` without such an eval
 */
async function itemsOf(
  host: Host,
  { directory = join(tmpdir(), 'jurist') }: Results,
  skill: Skill,
  judged: readonly JudgedEval[],
  countsObedience: boolean,
): Promise<readonly InlineItem[]> {
  const items: InlineItem[] = []
  let [called, unjudged, sentences, used, obedience] = [0, 0, 0, 0, 0]
  for (const { eval: one, judges } of judged) {
    sentences += judges.length
    obedience += judges.filter(({ isObedience }) => isObedience).length
    const counting = judges.filter(({ judge, isObedience }) => judge !== null && (countsObedience || !isObedience))
    if ([`/${skill.name}`, `$${skill.name}`].some((call) => one.prompt.trimStart().startsWith(call))) called += 1
    else if (counting.length === 0) unjudged += 1
    else {
      used += counting.length
      const place = join(directory, '.lift', `${skill.name}-${skill.hash.slice(0, 12)}`, one.id)
      const hasFiles = Object.keys(one.files).length > 0
      if (hasFiles) await placeFiles(skill, one, place)
      const members = counting.map(({ judge }, index): [string, Json] => [`assertion-${index + 1}`, judge])
      items.push({
        id: one.id,
        task: one.prompt,
        judges: Object.fromEntries(members),
        metadata: { assertions: counting.map(({ text: sentence }) => sentence) },
        ...(hasFiles ? { before: place } : {}),
        ...(one.expected === null ? {} : { expectedOutput: one.expected }),
      })
    }
  }
  host.note(
    `${counted(items.length, 'eval')} of ${judged.length}, ${used} of ${counted(sentences, 'assertion')} judged.`,
  )
  const left = (count: number, noun: string, why: string) => {
    if (count > 0) host.note(`Left out, since ${why}: ${counted(count, noun)}.`)
  }
  if (!countsObedience) left(obedience, 'assertion', 'only one arm can follow the skill (--count-obedience)')
  left(called, 'eval', 'the arm without the skill cannot be asked to call it')
  left(unjudged, 'eval', 'nothing in it can be judged (a model judges sentences: --judge-model <name>)')
  if (items.length === 0)
    throw usageInvalid('skill', `No eval of ${skill.name} can be judged. Add assertions, or --judge-model <name>.`)
  return items
}
