import { selfHealing } from '@jurist/experiment'
import { emptyDirectory } from '@jurist/workspace'
import { rules } from './rules.js'
import { writingAgent } from './writing-agent.js'

/** The same agent, which receives what was wrong until nothing is. */
export async function healed(): Promise<string> {
  await using workspace = await emptyDirectory()
  const healing = selfHealing(writingAgent, rules, { maxAttempts: 3 })
  const { passed, metadata, costUsd, verdicts } = await healing({ prompt: 'Write a release note for 2.0.', workspace })
  const said = verdicts.map(({ aggregated }) => aggregated.status).join(', then ')
  return `selfHealing: passed ${passed} after ${metadata?.['selfHealing.attempts']} attempts (${said}), $${costUsd?.toFixed(2)}`
}
