import type { JudgeModel } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { answerTests, wireTests } from './model-answers.js'
import { abortTests, retryTests, secretTests } from './model-failures.js'
import type { ModelAbilities } from './model-under-test.js'
import type { ScriptedServer } from './scripted-server.js'

/**
 * What every model bridge must keep: settings reach the wire or are a warning; data, usage and log-probabilities come
 * back; failures are retried and named; an abort ends a call; keys are not shown; simultaneous calls do not mix.
 *
 * @param make a model at the scripted server, with any key (without one that part proves nothing) and no table of prices
 *
 * @example
 * modelBridgeContract({ describe, test }, 'anthropic', ({ url }) => anthropicModel({ baseUrl: url, model: 'm', apiKey }), can)
 */
export function modelBridgeContract(
  harness: TestHarness,
  name: string,
  make: (server: ScriptedServer) => JudgeModel | Promise<JudgeModel>,
  can: ModelAbilities,
): void {
  harness.describe(`${name} keeps the contract of model bridges`, () => {
    wireTests(harness, { make, can })
    answerTests(harness, { make, can })
    retryTests(harness, { make, can })
    abortTests(harness, { make, can })
    secretTests(harness, { make, can })
  })
}
