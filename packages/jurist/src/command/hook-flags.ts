import { reveals } from '../hook/feedback.js'
import { flag, milliseconds, oneOf, text, toggle, whole } from './flags.js'

/** The flags of a hook, and of the command that installs it. */
export const hookFlags = {
  jury: flag('--jury <name>', 'a jury of the config (default: done)', text, { default: 'done', completes: 'jury' }),
  max: flag('--max <n>', 'how often in a row the agent is sent back (default: 3)', whole(0, 8), { default: 3 }),
  timeout: flag('--timeout <duration>', 'for the jury (default: 100s)', milliseconds, { default: 100_000 }),
  reveal: flag(
    '--reveal <what>',
    `what the agent reads of a failure: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
  goal: flag('--goal <text>', 'the task, for judges that read it', text),
  inPlace: toggle('--in-place', 'judges that run commands run them in the directory itself (default: in a copy)'),
} as const
