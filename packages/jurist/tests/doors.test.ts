import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const here = fileURLToPath(new URL('..', import.meta.url))

/** Packages from elsewhere that one import loads, by what the engine saw. */
function packagesLoadedBy(specifier: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-doors-'))
  try {
    const env = { PATH: process.env.PATH ?? '', NODE_V8_COVERAGE: directory }
    execFileSync(process.execPath, ['-e', `import('${specifier}')`], { cwd: here, env })
    const urls = readdirSync(directory).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(directory, file), 'utf8')) as { result: { url: string }[] }
      return result.map(({ url }) => url)
    })
    expect(urls.some((url) => url.endsWith('packages/jurist/dist/index.js'))).toBe(true)
    return urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)|workspace\/(parsers)\//.exec(url)?.slice(1) ?? [])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe('the doors', () => {
  test('one name is enough to begin with: judges, votes, experiments, datasets, stores', async () => {
    const door = await import('jurist')
    const wanted = [
      ...['fileExists', 'outputText', 'supersetOf', 'commandSucceeds', 'buildSucceeds', 'testsPass', 'classVersion'],
      ...['matchesReference', 'javaFile', 'packageJson', 'jury', 'cascade', 'consensus', 'majority'],
      ...['runExperiment', 'runSession', 'defineExperiment', 'defineConfig', 'openDataset', 'dataset'],
      ...['copyWorkspaces', 'gitWorkspaces', 'completed', 'errored', 'timedOut', 'trialOf', 'fileStore', 'memoryStore'],
    ]
    expect(wanted.filter((name) => !(name in door))).toEqual([])
  })

  test('judges of coverage have a door of their own', async () => {
    expect(await import('jurist/coverage')).toHaveProperty('coveragePreserved')
  })

  test('the first import loads no parser of a language', () => {
    const parsers = ['parsers', 'jsonc-parser', 'smol-toml', 'yaml', 'jiti', 'commander']
    expect(packagesLoadedBy('jurist').filter((name) => parsers.includes(name))).toEqual([])
  })
})
