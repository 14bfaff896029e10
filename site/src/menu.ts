import type { Document } from './documents.js'
import type { MenuGroup, MenuLink } from './layout.js'
import { contributorGroups, foundGroups, navigation } from './navigation.js'

/** Pages that the build makes without a document. */
const made: { readonly [name: string]: string } = { api: 'api/index.html', 'sample-report': 'sample-report.html' }

/** The navigation of the guide: what `navigation.ts` lists, then every other document of the groups that are found. */
export function guideMenu(documents: readonly Document[]): readonly MenuGroup[] {
  const listed = navigation.map(({ title, links }) => ({
    title,
    links: links.map(({ to, label }): MenuLink => {
      const page = made[to] ?? documents.find(({ source }) => source === to)?.page
      if (page === undefined) throw new Error(`site/src/navigation.ts lists ${to}, which does not exist.`)
      return { page, label }
    }),
  }))
  return [...listed, ...found(documents, foundGroups)]
}

/** The navigation of documents for those who work on Jurist. */
export function contributorMenu(documents: readonly Document[]): readonly MenuGroup[] {
  const guide = {
    title: 'Guide',
    links: [
      { page: 'index.html', label: 'What Jurist is' },
      { page: 'guide/install.html', label: 'The guide' },
    ],
  }
  return [guide, ...found(documents, contributorGroups)]
}

function found(documents: readonly Document[], groups: typeof foundGroups): readonly MenuGroup[] {
  const listed = new Set(navigation.flatMap(({ links }) => links.map(({ to }) => to)))
  return groups
    .map(({ title, matches }) => ({
      title,
      links: documents
        .filter(({ source }) => matches.test(source) && !listed.has(source))
        .map(({ page, title: label }): MenuLink => ({ page, label })),
    }))
    .filter(({ links }) => links.length > 0)
}
