import type { JudgeModel } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { answerTests, wireTests } from './model-answers.js'
import { abortTests, retryTests, secretTests } from './model-failures.js'
import type { ModelAbilities } from './model-under-test.js'
import type { ScriptedServer } from './scripted-server.js'

/**
 * Tests that a model bridge keeps the contract of model bridges: settings are sent or are a warning; data, usage and
 * log-probabilities are returned; failures are retried and named; an abort ends a call; keys are not shown;
 * simultaneous calls do not mix.
 *
 * @param make creates a model of the scripted server, with any key (without one that part proves nothing) and without a
 * table of prices
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
