import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../project.js'

const cache = join(dirname(createRequire(import.meta.url).resolve('jurist/package.json')), 'node_modules', '.cache')

/** Lists the runs in a process of its own. Returns whether it loaded the compiler. */
async function compiles({ startWith }: ReturnType<typeof project>): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-loaded-'))
  try {
    const { code, stderr } = await startWith({ NODE_V8_COVERAGE: directory }, 'list').ended
    if (code !== 0) throw new Error(stderr)
    const reports = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))
    return reports.some((report) => report.includes('/jiti/dist/babel.cjs'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const config = (store: string) => `import { defineConfig } from 'jurist'
export default defineConfig({ store: '${store}' as string })
`

test('a config in TypeScript is compiled once, again when it changes, and where its compiled form is damaged', async () => {
  using made = project({ 'jurist.config.ts': config('one') })
  const kept = () => readdirSync(cache).filter((name) => name.startsWith(`${basename(made.directory)}-`))
  expect(await compiles(made)).toBe(true)
  expect(await compiles(made)).toBe(false)
  expect((await made.startWith({}, 'list').ended).stderr).toContain('one')
  made.write({ 'jurist.config.ts': config('two') })
  expect(await compiles(made)).toBe(true)
  expect((await made.startWith({}, 'list').ended).stderr).toContain('two')
  expect(kept()).toHaveLength(1)
  truncateSync(join(cache, `${kept()[0]}`), 20)
  expect(await compiles(made)).toBe(true)
  expect(await compiles(made)).toBe(false)
})

test('old compiled configs of many projects are removed, and newer ones stay', async () => {
  using made = project({ 'jurist.config.ts': config('one') })
  await compiles(made)
  const old = Array.from({ length: 501 }, (_, index) => join(cache, `old-${process.pid}-${index}.mjs`))
  const hourAgo = new Date(Date.now() - 3_700_000)
  for (const file of old) {
    writeFileSync(file, '')
    utimesSync(file, hourAgo, hourAgo)
  }
  expect(await compiles(made)).toBe(false)
  // Commands of other tests may have removed some of them before the last one was there, and then the rest are too few.
  expect(old.filter((file) => existsSync(file)).length).toBeLessThan(old.length)
  for (const file of old) rmSync(file, { force: true })
})
