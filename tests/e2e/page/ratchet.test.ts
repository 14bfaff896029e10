import { describe, expect, test } from 'vitest'
import { begin, night } from '../../../packages/jurist/tests/commands/ratchet/night.js'
import { inBrowser, isWithoutBrowser, startBrowser } from './browser.js'
import { openAt, startView } from './jurist-view.js'
import { runLinks } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('the store of a ratchet'), () => {
  test('is a list of its looks for the owner, in which the start and the kept version are compared', async () => {
    using made = night()
    expect((await made.jurist(...begin)).code).toBe(0)
    const first = made.plan().parts.visible.find((id) => Number(id.split('-')[1]) % 8 !== 0)
    for (const prompt of [`do a only ${first?.split('-')[1]};`, 'do a do b do c do d do e'])
      await made.tries(`${prompt}\n`)
    const { stdout } = await made.jurist('ratchet', 'report')
    const [, command = ''] = /Each look as a page: jurist (.*) view/.exec(stdout) ?? []
    const [, gain = ''] = /decided nothing: (\S+) points/.exec(stdout) ?? []
    const browser = await startBrowser()
    const problems: string[] = []
    const view = await startView(made.made, ...command.split(' '))
    const tab = await openAt(browser, view.url, '#/', problems)
    await runLinks(tab).first().waitFor()
    const names = (await tab.getByRole('row').allInnerTexts()).flatMap(
      (row) => /\t((?:start|try)\S*)\t/.exec(row)?.[1] ?? [],
    )
    expect(names).toEqual(['try-2-reserve', 'start-reserve', 'try-2', 'try-1', 'start'])
    for (const name of ['start-reserve', 'try-2-reserve']) await tab.getByLabel(`Compare demo ${name} of`).check()
    await tab.getByRole('region', { name: 'Chosen runs' }).getByRole('link').first().click()
    await tab.getByText(`${gain} points`).first().waitFor()
    await browser.close()
    await view.stop()
    expect(problems).toEqual([])
  })
})
