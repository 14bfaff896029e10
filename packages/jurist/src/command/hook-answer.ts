import { text as readAll } from 'node:stream/consumers'
import { safeBlock } from '@jurist/kit/terminal'
import { answerEvent } from '../hook/answer-event.js'
import { clientNames, formOf, type Moment } from '../hook/clients.js'
import { readEvent } from '../hook/hook-event.js'
import type { ExitCode } from './failure-report.js'
import { type FlagValues, flag, oneOf } from './flags.js'
import { hookFlags } from './hook-flags.js'
import type { Host } from './host.js'
import { ownStdout } from './own-stdout.js'
import { interruptible } from './process-events.js'
import { resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'

const flags = {
  ...hookFlags,
  client: flag(
    '--client <agent>',
    `the coding agent: ${clientNames.join(', ')} (default: as the event looks)`,
    oneOf(clientNames),
  ),
} as const

type AnswerFlags = FlagValues<typeof flags>

/** `jurist hook start`, `stop` and `edit`: what hooks run. */
export function answerHook(moment: Moment): Subcommand {
  return subcommand({
    arguments: [],
    flags,
    examples: [`hook ${moment} --client claude`, `-c ../evals/jurist.config.yaml hook ${moment} --client codex`],
    note:
      'Coding agents call this: jurist hook install <agent>. It reads their event on standard input and prints their answer.\n' +
      'Exit codes: 0 judged, or there is no config; 3 nothing can be said, and the agent may stop.',
    run: (host, _, read) => answer(host, moment, read),
  })
}

async function answer(host: Host, moment: Moment, read: AnswerFlags): Promise<ExitCode> {
  const { jury, max, timeout, reveal, goal, inPlace } = read
  const event = readEvent(process.stdin.isTTY ? '' : await readAll(process.stdin), read.client)
  // A config that prints must not spoil the answer.
  using stdout = ownStdout()
  using interrupt = interruptible(host, () => 'Stopping.')
  const { decision, broken, warnings } = await answerEvent({
    moment,
    event,
    jury,
    maxBlocks: max,
    timeoutMs: timeout,
    reveal,
    goal,
    inPlace,
    cwd: host.cwd,
    config: host.flags.config,
    signal: interrupt.signal,
    openStore: async (loaded) => (await resultsOf({ ...host, configIfAny: async () => loaded })).store,
  })
  const lines = [...(broken === undefined ? [] : [`${broken} The agent may stop.`]), ...warnings]
  for (const line of lines) host.terminal.err(`jurist: ${safeBlock(line)}\n`)
  stdout.write(`${JSON.stringify(formOf(event.client).answer(decision))}\n`)
  return broken === undefined ? 0 : 3
}
