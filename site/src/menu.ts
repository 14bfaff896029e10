import type { Document } from './documents.js'
import type { MenuGroup, MenuLink } from './layout.js'
import { foundGroups, navigation } from './navigation.js'

/** Pages that the build makes without a document. */
const made: { readonly [name: string]: string } = { api: 'api/index.html', 'sample-report': 'sample-report.html' }

/** The navigation of the guide: what `navigation.ts` lists, then every other document in the group of its kind. */
export function guideMenu(documents: readonly Document[]): readonly MenuGroup[] {
  const listed = new Set(navigation.flatMap(({ links }) => links.map(({ to }) => to)))
  const groups = navigation.map(({ title, links }) => ({
    title,
    links: links.map(({ to, label }): MenuLink => {
      const page = made[to] ?? documents.find(({ source }) => source === to)?.page
      if (page === undefined) throw new Error(`site/src/navigation.ts lists ${to}, which does not exist.`)
      return { page, label }
    }),
  }))
  const found = foundGroups.map(({ title, matches }) => ({
    title,
    links: documents
      .filter(({ source }) => matches.test(source) && !listed.has(source))
      .map(({ page, title: label }): MenuLink => ({ page, label })),
  }))
  return [...groups, ...found].filter(({ links }) => links.length > 0)
}
