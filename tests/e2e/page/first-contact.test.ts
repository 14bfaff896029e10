import { execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { project } from '../../../packages/jurist/tests/project.js'
import { root } from '../../structure/source.js'
import { inBrowser, isWithoutBrowser, startBrowser } from './browser.js'
import { openAt, startView } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('the changes of a trial'), () => {
  let browser: Browser
  const problems: string[] = []

  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  test('are shown after jurist init and jurist run', async () => {
    using made = project()
    expect((await made.jurist('init', 'my-evals', '--template', 'agent')).code).toBe(0)
    const flags = ['-C', 'my-evals']
    expect((await made.jurist('run', ...flags, '--preserve', 'all')).code).toBe(0)
    const viewing = await startView(made, 'latest', ...flags)
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await goTo(tab, `${viewing.url.hash}/items/add-readme/1/changes`)
    await tab.getByText('1 file differs').waitFor()
    await tab.getByText('README.md').first().waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })

  test('are shown after the first program of the README, which has no config', async () => {
    using made = project()
    cpSync(join(root, 'examples/first'), made.directory, {
      recursive: true,
      filter: (path) => !path.endsWith('/results'),
    })
    symlinkSync(join(root, 'node_modules'), join(made.directory, 'node_modules'))
    const typescript = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
    execFileSync(process.execPath, [typescript, 'main.ts'], { cwd: made.directory })
    const viewing = await startView(made, 'latest')
    const tab = await openAt(browser, viewing.url, viewing.url.hash, problems)
    await goTo(tab, `${viewing.url.hash}/items/adder/1/changes`)
    await tab.getByText('1 file differs').waitFor()
    await viewing.stop()
    expect(problems).toEqual([])
  })
})
