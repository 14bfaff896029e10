import { infoOf, type Judge, withInfo } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'

/** A judge of the agent's output: without one it fails, and nothing is asked. */
export function ofOutput(judge: Judge): Judge {
  const judged: Judge = (context) => (context.agentOutput === undefined ? withoutOutput() : judge(context))
  return withInfo(judged, infoOf(judge))
}
