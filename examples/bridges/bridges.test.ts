import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Judgment, Verdict } from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../../packages/bridges/testing/index.js'
import { root } from '../../tests/structure/source.js'

const directory = join(root, 'examples/bridges')
const installed = join(root, 'packages/bridges/frameworks')
const maxLines = 30

/** The packages whose exports an example is handed, for the root of the repository has no framework. */
const frameworks: { readonly [door: string]: readonly string[] } = {
  'ai-sdk': ['ai', '@ai-sdk/openai-compatible'],
  langchain: ['@langchain/openai'],
  'openai-agents': ['openai', '@openai/agents'],
  otel: ['@opentelemetry/api'],
}

type Main = (url: string, framework: object) => Promise<Judgment | Verdict>

const examples = readdirSync(directory)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ door: file.slice(0, -3), path: join(directory, file) }))

async function loaded(door: string): Promise<object> {
  const { resolve } = createRequire(join(installed, 'package.json'))
  const modules = (frameworks[door] ?? []).map((name) => import(pathToFileURL(resolve(name)).href))
  return Object.assign({}, ...(await Promise.all(modules)))
}

describe('examples/bridges', () => {
  test('there are some', () => expect(examples.length).toBeGreaterThanOrEqual(5))

  test.each(examples)('$door is short', ({ path }) => {
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(maxLines)
  })

  for (const { door, path } of examples) {
    // Frameworks are installed by `npm run test:long`.
    const missing = frameworks[door] !== undefined && !existsSync(join(installed, 'node_modules'))
    test.skipIf(missing)(`${door} passes, with a model that answers rightly`, async () => {
      await using server = await scriptedServer(() => ({ text: 'Paris is the capital of France.\nAnswer: YES' }))
      const { main } = (await import(path)) as { readonly main?: Main }
      if (main === undefined) return
      const outcome = await main(server.url, await loaded(door))
      const { status, reasoning } = 'aggregated' in outcome ? outcome.aggregated : outcome
      expect([status, reasoning]).toEqual(['pass', reasoning])
      expect(server.unexpected).toEqual([])
    })
  }
})
