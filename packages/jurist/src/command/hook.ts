import { moments } from '../hook/clients.js'
import { answerHook } from './hook-answer.js'
import { hookInstall } from './hook-install.js'
import { type Subcommand, subcommandGroup } from './subcommand.js'

/** `jurist hook`. */
export const hook: Subcommand = subcommandGroup({
  actions: {
    install: { summary: 'write the settings of a coding agent', action: hookInstall },
    start: {
      summary: 'what a hook runs when a session starts: keeps a copy of the config',
      action: answerHook('start'),
    },
    stop: { summary: 'what a hook runs when the agent wants to stop: judges', action: answerHook('stop') },
    edit: { summary: 'what a hook runs after an edit: judges', action: answerHook('edit') },
  },
  examples: ['hook install claude', 'hook install codex --jury done --max 2', 'hook install --help'],
  note:
    'A jury that fails sends the agent back with the reasons. The config is copied when a session starts, so that the agent\n' +
    'cannot change what judges it. Only a failing jury blocks: a broken one ends with exit code 3 and lets the agent stop.',
  // Coding agents read exit code 2 as a block.
  exitCode(code, argv) {
    const isHook = !argv.includes('install') && moments.some((moment) => argv.includes(moment))
    return code === 2 && isHook ? 3 : code
  },
})
