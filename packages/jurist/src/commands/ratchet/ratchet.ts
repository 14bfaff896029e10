import { join } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { type ExitCode, flag, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { duration } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { type Host, interruptible } from '../../command-kit/host.js'
import { grouped, milliseconds, rate, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { vetProgress } from '../../terminal/progress-view.js'
import { failureLines } from '../../terminal/run-report.js'
import {
  committed,
  type Gate,
  gateOf,
  hiddenStore,
  itemsIn,
  keptVersion,
  lookTime,
  passedOf,
  startTime,
  type Tried,
  trialsOf,
  tried,
} from './gate.js'
import { beginRatchet, initText, powerText } from './init-ratchet.js'
import {
  locked,
  openRatchet,
  type Ratchet,
  ratchetRefused,
  ratchetsIn,
  referenceOf,
  standingOf,
  usedBefore,
} from './ratchet-state.js'
import { holding, reportOf, reportText } from './report.js'
import { sessionOf } from './trials.js'
import { pointTo } from './versions.js'

const state = flag('--state <dir>', 'the directory of all ratchets (default: ~/.jurist/ratchets)', text)
const wait = toggle('--wait', 'wait for another command that uses the ratchet')
const name = ['[name]', 'a ratchet (default: that of this repository)', []] as const
const count = (usage: string, help: string) => flag(usage, help, whole(0))

const stopping = () => 'Stopping: running trials are being cancelled (press again to exit immediately).'

/** Calls work with a ratchet whose lock it holds; `opened` checks what judges, and may show the progress of trials. */
async function using(
  host: Host,
  given: { name: string | undefined; state: string | undefined; wait: boolean },
  work: (ratchet: Ratchet, opened: (isShown: boolean) => Promise<Gate>) => Promise<ExitCode>,
): Promise<ExitCode> {
  const directory = ratchetsIn(given.state, host.cwd)
  const found = await openRatchet(directory, given.name, host.cwd)
  using interrupt = interruptible(host, stopping)
  const { signal } = interrupt
  await using _lock = await locked(found.state, found.plan.name, given.wait, signal)
  const view = vetProgress(host.terminal, host.flags.quiet === true)
  try {
    // The one before may have added entries.
    const ratchet = await openRatchet(directory, found.plan.name, host.cwd)
    return await work(ratchet, (isShown) => gateOf(host, ratchet, signal, isShown ? view.show : undefined))
  } catch (thrown) {
    if (!signal.aborted) throw thrown
    host.note('Stopped. The next command goes on with what ran; a look that has begun is used.')
    return 130
  } finally {
    view.stop()
  }
}

export const initRatchet: Subcommand = subcommand({
  arguments: [
    ['<name>', 'the name of the ratchet', []],
    ['[experiment]', 'a name in the config (default: the only one)'],
  ],
  flags: {
    editable: repeatable('--editable <path>', 'a path that the agent may change', text),
    ...grouped('Which items', {
      hidden: count('--hidden <n>', 'items that decide (default: half)'),
      reserve: count('--reserve <n>', 'items of the report (default: a quarter)'),
      visible: count('--visible <n>', 'items that the agent may see (default: all others)'),
      variant: flag('--variant <name>', 'the variant to improve', text),
    }),
    ...grouped('Answers', {
      looks: flag('--looks <n>', 'the maximum number of looks at the hidden items (default: 20)', whole(0), {
        default: 20,
      }),
      alpha: flag('--alpha <rate>', 'the chance that any acceptance is false (default: 5%)', rate, { default: 0.05 }),
      renewals: flag('--renewals <n>', 'keep hidden items and level for so many renewals (default: 0)', whole(0), {
        default: 0,
      }),
      blind: toggle('--blind', 'answer nothing until the report'),
      lookMs: flag(
        '--look-time <duration>',
        'how long a look takes (default: full minutes, twice the time of the start; 0: as its trials take)',
        (given, name) => (given === '0' ? 0 : milliseconds(given, name)),
      ),
    }),
    state,
  },
  examples: [
    'ratchet init repair --editable prompts --hidden 200 --reserve 100',
    'ratchet init repair coding --editable prompts --editable skills --looks 10 --alpha 2%',
  ],
  note: 'What judges is copied as the commit has it. Run it in a shell of your own, not in the sandbox of the agent.',
  async run(host, [given, experiment], read) {
    {
      using interrupt = interruptible(host, stopping)
      await beginRatchet(host, { name: given, experiment, ...read }, interrupt.signal)
    }
    return using(host, { name: given, state: read.state, wait: false }, async (ratchet, opened) => {
      const { plan, state } = ratchet
      host.terminal.out(host.flags.json === true ? '' : `${initText(ratchet)}\n`)
      const used = await usedBefore(ratchetsIn(read.state, host.cwd), plan)
      if (used.items > 0)
        host.note(
          `warning: ${counted(used.items, 'item')} of this ratchet ${used.items === 1 ? 'was' : 'were'} used by ${used.by.join(', ')}. What an agent learnt there counts nowhere: use other items where you can.`,
        )
      const gate = await opened(true)
      const { start } = standingOf(gate)
      const [visible, hidden] = [
        await trialsOf(gate, start.tree, 'visible'),
        await trialsOf(gate, start.tree, 'hidden'),
      ]
      const isIsolated = hidden.run?.conditions['isolation'] !== 'none'
      const [lookMs, startMs] = [await lookTime(gate), await startTime(gate)]
      const parts = {
        visible: plan.parts.visible.length,
        hidden: plan.parts.hidden[0]?.length,
        reserve: plan.parts.reserve.length,
      }
      if (host.flags.json === true)
        host.json({
          ...{ name: plan.name, state, commit: plan.commit, power: powerText(plan, 0), isIsolated, parts, lookMs },
          hash: gate.log.entries.at(-1)?.hash,
        })
      else
        host.terminal.out(
          `  The start passes ${passedOf(itemsIn(gate, 'visible'), visible)} of ${parts.visible} visible and ${passedOf(itemsIn(gate, 'hidden'), hidden)} of ${parts.hidden} hidden items.\n  ${lookText(lookMs)}\n`,
        )
      if (lookMs > 0 && startMs > lookMs)
        host.note(
          `warning: The trials of the start take up to ${duration(startMs)}. With --look-time ${duration(lookMs)} a look may end before its trials, and accept nothing: begin a ratchet with a longer one.`,
        )
      if (!isIsolated)
        host.note(
          'Not sandboxed: the agent under test can read everything that you can, the hidden items and the state too. Give the experiment a sandbox.',
        )
      return 0
    })
  },
})

export const tryRatchet: Subcommand = subcommand({
  arguments: [name],
  flags: { state, wait },
  examples: ['ratchet try', 'ratchet try repair --wait'],
  note: 'Exit code 0: accepted, or recorded. 1: not accepted. 3: it could not begin.',
  run: (host, [given], read) =>
    using(host, { name: given, ...read }, async (ratchet, opened) => {
      const { plan } = ratchet
      const { left, accepted } = standingOf(ratchet)
      if (host.flags.json !== true && left > 0) host.note(`  ${powerText(plan, accepted)}`)
      const result = await tried(await opened(false), host.cwd)
      if (host.flags.json === true) host.json(triedDocument(result))
      else host.terminal.out(`${triedText(host, ratchet, result)}\n`)
      return result.answer === 'accepted' || result.answer === 'recorded' ? 0 : 1
    }),
})

function lookText(lookMs: number): string {
  return lookMs === 0
    ? 'A look takes as long as its trials: its time tells more than the answer. See --look-time.'
    : `A look takes ${duration(lookMs)}, and accepts nothing that takes longer. See --look-time.`
}

const answers: { readonly [answer in Tried['answer']]: string } = {
  accepted: 'accepted',
  'not-accepted': 'not accepted',
  'not-asked': 'not asked',
  recorded: 'recorded',
}

function triedText({ terminal }: Host, { plan }: Ratchet, { answer, looksLeft, visible, ignored }: Tried): string {
  const lines: string[] = []
  if (ignored.length > 0)
    lines.push(
      `  Ignored, since it is not editable: ${ignored.slice(0, 5).map(safeLine).join(', ')}${ignored.length > 5 ? `, and ${ignored.length - 5} more` : ''}`,
    )
  if (visible === null) lines.push('  Visible: this version was tried before, or is the start.')
  else {
    const { passed, better, worse, measured } = visible
    lines.push(
      `  Visible: ${passed} of ${plan.parts.visible.length} passed, ${better} better and ${worse} worse than the ${plan.blind ? 'start' : 'kept version'}.`,
      ...(measured.run === null ? [] : failureLines({ ...measured.run, items: [...measured.trials] }, terminal, 10)),
    )
    if (measured.run !== null && passed < plan.parts.visible.length)
      lines.push('', `  ${terminal.command('show', measured.run.id, '--failures')}`)
  }
  lines.push(`  Hidden: ${answers[answer]}. ${looksLeft} of ${counted(plan.looks, 'look')} left.`)
  return lines.join('\n')
}

function triedDocument({ answer, looksLeft, visible, ignored }: Tried): object {
  return {
    ...{ answer, looksLeft, ignored },
    visible:
      visible === null
        ? null
        : {
            ...{ passed: visible.passed, better: visible.better, worse: visible.worse },
            run: visible.measured.run?.id ?? null,
          },
  }
}

export const reportRatchet: Subcommand = subcommand({
  arguments: [name],
  flags: {
    expect: flag('--expect <hash>', 'a hash of an entry that you noted: the log must have it', text),
    ...{ state, wait },
  },
  examples: ['ratchet report', 'ratchet report repair --expect 7f3e0c91'],
  note: 'Exit code 1 when the interval of the gain has no positive part, or nothing was kept.',
  run: (host, [given], read) =>
    using(host, { name: given, ...read }, async ({ plan, log, state }, opened) => {
      const { expect: hash } = read
      if (hash !== undefined && (hash.length < 4 || !log.entries.some((entry) => entry.hash.startsWith(hash))))
        throw ratchetRefused(
          plan.name,
          `No entry of the log has the hash ${hash}: entries were changed or removed since you noted it.`,
        )
      const gate = await opened(true)
      if (plan.blind && standingOf(gate).acceptances.length === 0) await keepBest(gate)
      const report = await reportOf(gate)
      if (host.flags.json === true) host.json(report)
      else host.terminal.out(`${reportText(report, state)}\n`)
      return report.gain !== null && report.gain.high > 0 ? 0 : 1
    }),
})

/** Keeps the best candidate of a blind ratchet that holds. */
async function keepBest(gate: Gate): Promise<void> {
  const { plan, log } = gate
  const [best] = holding(gate)
  if (best === undefined) return
  const version = await keptVersion(gate, best.tree)
  const commit = await committed(gate, version, plan.commit)
  const { b = 0, w = 0, p = 1 } = best
  await log.append({
    kind: 'answer',
    tree: best.tree,
    ...{ b, w, p, commit },
    accepted: true,
    run: best.run ?? null,
  })
  await pointTo(plan.project, referenceOf(plan), commit)
}

export const renewRatchet: Subcommand = subcommand({
  arguments: [name],
  flags: { state, wait },
  examples: ['ratchet renew', 'ratchet renew repair'],
  note: 'Takes hidden items that were never used and a level of their own, both set aside by "ratchet init --renewals", and begins\nto count looks again.',
  run: (host, [given], read) =>
    using(host, { name: given, ...read }, async (ratchet, opened) => {
      const { plan } = ratchet
      const { renewals, kept } = standingOf(ratchet)
      const renewalsLeft = plan.parts.hidden.length - renewals - 2
      if (renewalsLeft < 0)
        throw usageInvalid(
          'renew',
          `The ratchet "${plan.name}" has no renewal left (${plan.parts.hidden.length - 1} at its beginning). Begin a new one, with --renewals.`,
        )
      const gate = await opened(true)
      await gate.log.append({ kind: 'renew', tree: kept.tree, commit: kept.commit ?? plan.commit })
      await trialsOf(gate, kept.tree, 'hidden')
      if (host.flags.json === true) host.json({ looksLeft: plan.looks, renewalsLeft })
      else
        host.terminal.out(
          `  ${plan.parts.hidden[renewals + 1]?.length} hidden items that were never used. ${counted(plan.looks, 'look')} left.\n  ${powerText(plan, 0)}\n`,
        )
      return 0
    }),
})

export const showRatchet: Subcommand = subcommand({
  arguments: [['<seq>', 'the number of an entry: an answer, or its look', []], name],
  flags: { state, wait },
  examples: ['ratchet show 12', 'ratchet show 12 repair'],
  note: 'For you, not for the agent: it shows hidden items. The log keeps that you have seen them.',
  run: (host, [given, ratchetName], read) =>
    using(host, { name: ratchetName, ...read }, async (ratchet) => {
      const { plan, log } = ratchet
      const entry = log.entries.find(({ seq }) => String(seq) === given)
      if (entry === undefined || !['look', 'answer'].includes(entry.kind))
        throw usageInvalid(
          'seq',
          `Entry ${given} is not a look. Looks: ${log.entries.flatMap(({ seq, kind }) => (kind === 'look' ? [seq] : [])).join(', ') || 'none'}.`,
        )
      await log.append({ kind: 'seen', tree: entry.tree, seen: entry.seq })
      const store = hiddenStore(ratchet.state)
      const runs: string[] = []
      for await (const { id } of store.list({ session: sessionOf(plan, entry.tree, 'hidden') })) runs.push(id)
      if (host.flags.json === true) host.json({ ...entry, runs })
      else
        host.terminal.out(
          [
            `  ${entry.kind} ${entry.seq}, version ${entry.tree.slice(0, 12)}, ${entry.at}`,
            ...(entry.b === undefined
              ? []
              : [
                  `  ${entry.b} better, ${entry.w} worse, p ${entry.p?.toPrecision(3)} at the level ${entry.level?.toPrecision(3)}${entry.reason === undefined ? '' : `; ${entry.reason}`}`,
                ]),
            ...runs.map(
              (run) => `  ${commandLine('--results', join(ratchet.state, 'store'), 'show', run, '--failures')}`,
            ),
            '  You have now seen hidden items: do not tell the agent what was in them. The log keeps it.',
            '',
          ].join('\n'),
        )
      return 0
    }),
})
