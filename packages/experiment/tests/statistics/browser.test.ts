import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const source = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** A door as a bundler for browsers makes it: an import of `node:` would fail it, wherever it is. */
async function bundled(door: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source(`experiment/src/${door}/index.ts`)],
    alias: {
      '@jurist/core/internal': source('core/src/internal.ts'),
      '@jurist/core': source('core/src/index.ts'),
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map(({ text }) => text).join('')
}

describe('doors that run anywhere', () => {
  test.each(['result', 'compare', 'calibrate'])('./%s imports nothing from node:', async (door) => {
    const text = await bundled(door)
    expect(text.length).toBeGreaterThan(5_000)
    // Core asks the runtime for built-in modules by name; it imports none.
    expect(text).not.toMatch(/\b(from|import|require\()\s*\(?["'](node:|fs|path|crypto|os)/)
  })

  test('and the test would notice: ./store does', async () => {
    await expect(bundled('store')).rejects.toThrow(/node:/)
  })

  test('a calibration runs where there is no Node', async () => {
    const text = await bundled('calibrate')
    const { calibrate } = await import(`data:text/javascript,${encodeURIComponent(text)}`)
    const item = {
      id: 'a',
      hash: 'a',
      task: 't',
      metadata: { label: 'pass' },
      tags: [],
      referenceData: [],
      expectedOutput: null,
    }
    const versions = Object.getOwnPropertyDescriptor(process, 'versions')
    Object.defineProperty(process, 'versions', { value: {}, configurable: true })
    try {
      const options = { name: 'anywhere', candidate: () => true, resamples: 0 }
      const { agreementRate, result } = await calibrate({ ...options, items: [item] })
      expect([agreementRate, result.environment.platform]).toEqual([1, 'unknown'])
      await expect(calibrate({ ...options, items: 'labelled.jsonl' })).rejects.toMatchObject({ code: 'option-invalid' })
    } finally {
      Object.defineProperty(process, 'versions', versions ?? {})
    }
  })
})
