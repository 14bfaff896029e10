import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const doors = readdirSync(`${root}src`, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && readdirSync(`${root}src/${entry.name}`).includes('index.ts') ? [entry.name] : [],
)
/** The maximum size of one door with everything it needs, minified. */
const maxBytes = 70_000
/** These may load modules of Node, inside the function that needs them. */
const onNode = ['acp', 'claude-agent', 'codex', 'command', 'mcp']

describe('each door, bundled alone', () => {
  test.each(doors)('%s pulls in no framework', async (door) => {
    const { metafile, outputFiles } = await build({
      entryPoints: [`${root}src/${door}/index.ts`],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      external: ['node:*'],
      alias: {
        '@jurist/core': `${root}../core/src/index.ts`,
        '@jurist/core/internal': `${root}../core/src/internal.ts`,
        '@jurist/core/llm': `${root}../core/src/llm/index.ts`,
      },
      metafile: true,
      write: false,
      logLevel: 'error',
    })
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
    const used = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
    expect(used.filter((path) => path.includes('node_modules'))).toEqual([])
    const imports = Object.entries(metafile.inputs).flatMap(([from, { imports: all }]) =>
      all.map(({ path, kind }) => ({ from, path, isDynamic: kind === 'dynamic-import' })),
    )
    // A module that is only ever imported dynamically may itself import modules of Node.
    const loadedEarly = new Set(imports.flatMap(({ path, isDynamic }) => (isDynamic ? [] : [path])))
    const isEarly = (from: string) => loadedEarly.has(from) || from.endsWith(`/src/${door}/index.ts`)
    const node = imports.filter(({ path }) => path.startsWith('node:'))
    expect(node.filter(({ from, isDynamic }) => !isDynamic && isEarly(from))).toEqual([])
    if (!onNode.includes(door)) expect(node).toEqual([])
    const bytes = outputFiles[0]?.contents.length ?? 0
    expect(bytes).toBeGreaterThan(500)
    expect(bytes).toBeLessThan(maxBytes)
  })

  test.each(doors)('%s says how it is used', (door) => {
    expect(readFileSync(`${root}src/${door}/index.ts`, 'utf8')).toMatch(/^\/\*\*/)
  })
})
