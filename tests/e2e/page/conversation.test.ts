import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo, openTab, settled } from './open-page.js'

/** A shop whose user asks twice, one whose user says nothing, and one with more messages than are drawn. */
const config = `import { outputText } from 'jurist'
import { conversation, scriptedUser } from 'jurist/conversation'
const agent = ({ message }) =>
  message === 'It is order 7.'
    ? {
        text: 'Order 7 is **on its way**:\\n\\n| part | when |\\n|---|---|\\n| shoes | today |',
        costUsd: 0.02,
        steps: [
          { name: 'find_order', input: { id: 7 }, output: { state: 'sent' }, status: 'completed', turn: 0 },
          { name: 'refund', input: { id: 7, reason: 'late' }, output: 'not allowed', status: 'denied', turn: 1 },
        ],
      }
    : 'Which order?'
const item = (id, messages) => ({ id, task: 'Ask for order 7.', metadata: { scenario: { goal: 'Find order 7.', messages } } })
export default {
  experiments: {
    shop: {
      dataset: [
        {
          ...item('asks', ['Where is my order?', 'It is order 7.']),
          jury: outputText({ contains: 'on its way' }),
        },
        item('silent', [' ']),
        item('long', Array.from({ length: 80 }, (_, at) => 'message ' + at + '?')),
      ],
      agent: conversation(agent, { user: scriptedUser(), maxTurns: 100 }),
      jury: outputText({ matches: '.' }),
    },
  },
}
`

describe.skipIf(isWithoutBrowser)(inBrowser('a conversation'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page
  const messages = () => tab.locator('.conversation > li')
  const trial = (item: string) => `${viewed.viewing.url.hash}/items/${item}/1`

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    await made.jurist('run')
    viewed = await viewProject(made, undefined, ['latest'])
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('is read as messages, with the calls of tools folded before the answer that they led to', async () => {
    await goTo(tab, trial('asks'))
    await expect.poll(() => messages().count()).toBe(4)
    const speakers = await messages().locator('.turn-head strong').allTextContents()
    expect(speakers).toEqual(['User', 'Agent', 'User', 'Agent'])
    await messages().nth(3).locator('strong', { hasText: 'on its way' }).waitFor()
    await messages().nth(3).getByRole('cell', { name: 'shoes' }).waitFor()
    await messages().nth(3).getByText('4 · $0.02').waitFor()
    await tab.getByText('The user was satisfied.').waitFor()
    expect(await tab.getByText('Output of the agent').count()).toBe(0)
    const calls = messages().nth(3).locator('summary')
    expect(await calls.innerText()).toBe('2 tool calls: find_order, refund ✗ 1 not completed')
    await calls.focus()
    await tab.keyboard.press('Enter')
    await tab.getByRole('region', { name: 'Result of refund' }).getByText('not allowed').waitFor()
    await tab.getByText('✗ denied').waitFor()
    expect(await tab.evaluate(() => location.hash)).toContain('toggled=calls')
  })

  test('the judge of the item is a member named item, and the journal has the calls with their status', async () => {
    await goTo(tab, trial('asks'))
    await tab.locator('.tree').getByText('item', { exact: true }).waitFor()
    await goTo(tab, `${trial('asks')}/journal`)
    const call = tab.locator('.step', { hasText: 'refund' })
    await call.getByText('✗ failed').waitFor()
  })

  test('a mistake of the user is said where it happened, and counted in the head of the run', async () => {
    await goTo(tab, trial('silent'))
    await messages().getByText('Mistake of the user: empty-message.').waitFor()
    await messages().getByText('The message is empty.').waitFor()
    await goTo(tab, viewed.viewing.url.hash)
    const figure = tab.locator('.figures div', { hasText: 'User at fault, of 3 conversations' })
    await figure.getByText('1 empty-message').waitFor()
    expect(await figure.locator('dd').first().innerText()).toBe('1')
  })

  test('a long one is drawn in part, until the reader asks for all', async () => {
    await goTo(tab, trial('long'))
    await expect.poll(() => messages().count()).toBe(100)
    await tab.getByRole('button', { name: 'Show all 160 messages' }).click()
    await expect.poll(() => messages().count()).toBe(160)
  })

  test.each([
    [1_280, 'light'],
    [390, 'dark'],
  ] as const)('has no barrier and fits into %i pixels', async (width, theme) => {
    const other = await openTab(viewed.browser, { width, theme }, viewed.problems)
    const { origin, search } = viewed.viewing.url
    await other.goto(`${origin}/${search}${trial('asks')}?toggled=${encodeURIComponent(encodeURIComponent('calls 4'))}`)
    await other.getByText('✗ denied').waitFor()
    expect(await accessibilityProblems(other)).toEqual([])
    expect(await other.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    if (process.env.JURIST_PICTURES !== undefined)
      await other.screenshot({ path: join(process.env.JURIST_PICTURES, `conversation-${width}.png`), fullPage: true })
    await other.context().close()
  })

  test('is in the report of one file', async () => {
    await made.jurist('export', 'latest', '-o', 'report.html')
    const file = join(made.directory, 'report.html')
    const report = await openTab(viewed.browser, {}, viewed.problems)
    await report.goto(`${pathToFileURL(file).href}${trial('asks')}`)
    await settled(report)
    await report.locator('.conversation > li').nth(3).getByText('2 tool calls: find_order, refund').waitFor()
    await report.context().close()
  })
})
