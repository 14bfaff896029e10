import { text as readAll } from 'node:stream/consumers'
import { safeBlock } from '@jurist/kit/terminal'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { answerEvent } from '../hook/answer-event.js'
import { clientNames, formOf, type Moment, moments, settingsScopes } from '../hook/clients.js'
import { reveals } from '../hook/feedback.js'
import { readEvent } from '../hook/hook-event.js'
import type { ExitCode } from './failure-report.js'
import { type FlagValues, flag, milliseconds, oneOf, text, toggle, whole } from './flags.js'
import { installHook } from './hook-install.js'
import type { Host } from './host.js'
import { ownStdout } from './own-stdout.js'
import { interruptible } from './process-events.js'
import { resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'

const actions = ['install', ...moments] as const

const flags = {
  jury: flag('--jury <name>', 'a jury of the config (default: done)', text, { default: 'done' }),
  max: flag('--max <n>', 'how often in a row the agent is sent back (default: 3)', whole(0, 8), { default: 3 }),
  timeout: flag('--timeout <duration>', 'for the jury (default: 100s)', milliseconds, { default: 100_000 }),
  reveal: flag(
    '--reveal <what>',
    `what the agent reads of a failure: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
  goal: flag('--goal <text>', 'the task, for judges that read it', text),
  inPlace: toggle('--in-place', 'judges that run commands run them in the directory itself (default: in a copy)'),
  on: flag('--on <moment>', 'install: when to judge: stop, edit (default: stop)', oneOf(['stop', 'edit']), {
    default: 'stop',
  }),
  scope: flag(
    '--scope <scope>',
    `install: whose settings: ${settingsScopes.join(', ')} (default: project)`,
    oneOf(settingsScopes),
    { default: 'project' },
  ),
  dryRun: toggle('--dry-run', 'install: show the change and write nothing'),
  client: flag(
    '--client <agent>',
    `who runs the hook: ${clientNames.join(', ')} (default: as the event looks)`,
    oneOf(clientNames),
  ),
} as const

type HookFlags = FlagValues<typeof flags>

/** `jurist hook`. */
export const hook: Subcommand = subcommand({
  arguments: [
    ['<action>', `install; and what hooks run: ${moments.join(', ')}`],
    ['[agent]', `install: ${clientNames.join(', ')}`],
  ],
  flags,
  examples: ['hook install claude', 'hook install codex --jury done --max 2', 'hook stop --jury done'],
  note:
    'A jury that fails sends the agent back with the reasons. The config is copied when a session starts, so that the agent\n' +
    'cannot change what judges it. Only a failing jury blocks: a broken one ends with exit code 3 and lets the agent stop.',
  // Coding agents read exit code 2 as a block.
  exitCode(code, argv) {
    const isHook = !argv.includes('install') && moments.some((moment) => argv.includes(moment))
    return code === 2 && isHook ? 3 : code
  },
  async run(host, [action, agent], read) {
    const known = actions.find((one) => one === action)
    if (known === undefined) throw usageInvalid('action', `Unknown action "${action}".${unknownAmong(action, actions)}`)
    if (known === 'install') return installHook(host, agent, read)
    return answer(host, known, read)
  },
})

async function answer(host: Host, moment: Moment, read: HookFlags): Promise<ExitCode> {
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
