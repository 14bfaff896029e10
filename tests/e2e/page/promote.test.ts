import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { openAt, startView, type ViewedProject, viewProject } from './jurist-view.js'

/** An agent that reads a file, breaks it, and leaves another one. */
const config = `
import { fail, pass } from 'jurist'
export default {
  experiments: {
    shop: {
      dataset: 'dataset',
      agent: async ({ workspace, record }) => {
        record?.({ type: 'tool-call', id: '1', name: 'read', input: { path: 'a.js' } })
        await workspace.write('a.js', 'wrong')
        await workspace.write('note.txt', 'done')
        return { status: 'completed', output: 'Done.' }
      },
      jury: async function rounds({ workspace }) {
        return (await workspace.read('a.js')) === 'right' ? pass('right') : fail('a.js rounds down')
      },
    },
  },
}
`

const files = {
  'jurist.config.mjs': config,
  'dataset/dataset.json': JSON.stringify({
    ...{ schemaVersion: 1, name: 'shop', version: '1' },
    items: [{ id: 'cart', path: 'cart' }],
  }),
  'dataset/cart/item.json': '{}',
  'dataset/cart/task.md': 'Make it right.\n',
  'dataset/cart/before/a.js': 'old\n',
  ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`dataset/cart/before/docs/${index}.md`, 'words\n'])),
}

describe.skipIf(isWithoutBrowser)(inBrowser('key P on a failed trial'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page
  const item = () => join(made.directory, 'dataset/regressions/rounds-a-js-rounds-down')
  const command = () => tab.getByText(/promote \S+ '?cart#1'? --minimise/)

  beforeAll(async () => {
    made = project(files)
    const run = JSON.parse((await made.jurist('run', '--json')).stdout).results[0].id
    viewed = await viewProject(made, `#/runs/${run}/items/cart/1`)
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('shows the command where the page only reads, and makes nothing', async () => {
    await tab.getByRole('button', { name: 'Make a test of it' }).waitFor()
    await tab.keyboard.press('P')
    await command().waitFor()
    expect(existsSync(item())).toBe(false)
    await tab.keyboard.press('P')
    await command().waitFor({ state: 'detached' })
  })

  test('makes the item where the server may write, and a second time changes nothing', async () => {
    const place = new URL(tab.url()).hash
    const review = await startView(made, 'latest', '--review', '--by', 'ana', '--json')
    tab = await openAt(viewed.browser, review.url, place, viewed.problems)
    await tab.keyboard.press('P')
    const written = tab.getByText('wrote dataset/regressions/rounds-a-js-rounds-down/')
    await written.waitFor()
    expect(await written.innerText()).toContain('before/ 21 to 1 file')
    expect(await command().isVisible()).toBe(true)
    expect(readFileSync(join(item(), 'wrong/cart-1/a.js'), 'utf8')).toBe('wrong')
    expect(existsSync(join(item(), 'before/docs'))).toBe(false)
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.keyboard.press('P')
    await tab.keyboard.press('P')
    await tab.getByText('already there: rounds-a-js-rounds-down. Nothing was changed.').waitFor()
    await tab.close()
    await review.stop()
  })
})
