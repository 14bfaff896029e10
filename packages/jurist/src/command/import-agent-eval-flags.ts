import { repeatable, text } from './flags.js'

/** The flags of `jurist import agent-eval`. */
export const agentEvalFlags = {
  script: repeatable(
    '--script <name>',
    'agent-eval: a script of package.json that must succeed too, such as build',
    text,
  ),
}
