import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { root } from './structure/source.js'

// What a command loads is most of the time that it takes to start. `npm run build` made it.

const config = `import { completed, defineConfig, outputText } from 'jurist'
export default defineConfig({
  experiments: { e: { dataset: 'rows.jsonl', agent: () => completed('done'), jury: outputText({ equals: 'done' }) } },
})
`

/** Writes each file that is loaded to a list. */
const hooks = (list: string) => `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(list)}, url + '\\n')
  return next(url, context)
}
`

function loadedBy(...argv: readonly string[]): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-start-'))
  const list = join(directory, 'loaded.txt')
  try {
    writeFileSync(join(directory, 'jurist.config.mjs'), config)
    writeFileSync(join(directory, 'rows.jsonl'), '{"task":"say done"}\n')
    writeFileSync(join(directory, 'hooks.mjs'), hooks(list))
    const register = `data:text/javascript,import { register } from 'node:module'; register('./hooks.mjs', 'file://${directory}/')`
    execFileSync(process.execPath, ['--import', register, join(root, 'packages/jurist/bin/jurist.js'), ...argv], {
      cwd: directory,
      stdio: 'pipe',
    })
    const files = readFileSync(list, 'utf8').split('\n')
    return files.flatMap((url) => (url.startsWith('file:') ? [relative(root, fileURLToPath(url))] : []))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const packagesIn = (files: readonly string[]) =>
  [...new Set(files.flatMap((file) => /packages\/(\w+)\/dist/.exec(file)?.[1] ?? []))].sort()

test('jurist --version loads the command alone', () => {
  expect(packagesIn(loadedBy('--version'))).toEqual(['jurist'])
})

test('jurist run loads neither the benchmarks of juries nor what other commands share', () => {
  const files = loadedBy('run')
  expect(packagesIn(files)).toEqual(['core', 'experiment', 'jurist', 'workspace'])
  expect(files.filter((file) => /chunks\/commands-|experiment\/dist\/label\//.test(file))).toEqual([])
})
