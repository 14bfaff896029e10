import { anthropicModel } from '@jurist/bridges/anthropic'
import { type Judgment, runJudge } from '@jurist/core'
import { faithfulness } from '@jurist/core/rag'

/** A Claude model judges whether an answer rests on its sources. */
export function main(url: string): Promise<Judgment> {
  const model = anthropicModel({
    baseUrl: url, // leave it out for api.anthropic.com
    model: 'claude-haiku-4-5',
    apiKey: process.env['ANTHROPIC_API_KEY'],
    prices: { 'claude-haiku-4-5': { inputPerMillion: 1, outputPerMillion: 5, cacheReadPerMillion: 0.1 } },
  })
  return runJudge(faithfulness({ model, mode: 'single' }), {
    goal: 'What is the capital of France?',
    agentOutput: 'Paris',
    referenceData: ['France: a country in Europe. Capital: Paris.'],
  })
}
