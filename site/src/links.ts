import { existsSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from '../../tests/structure/source.js'
import { pageOf } from './documents.js'

/** Where the links of documents lead on the site, and which files the site needs for them. */
export interface Links {
  /** The target of a link in a document, relative to the page of that document. */
  readonly resolve: (href: string, source: string, page: string) => string
  /** Files that become pages with their code: by path in the repository, the page. */
  readonly sources: ReadonlyMap<string, string>
  /** Pictures that are copied: by path in the repository, the path on the site. */
  readonly pictures: ReadonlyMap<string, string>
}

/** Links between pages of the site; a link to anything that is not there is an error that names its document. */
export function siteLinks(documents: ReadonlySet<string>): Links {
  const sources = new Map<string, string>()
  const pictures = new Map<string, string>()
  const targetOf = (path: string, source: string): string => {
    if (documents.has(path)) return pageOf(path)
    const readme = posix.join(path, 'README.md')
    if (documents.has(readme)) return pageOf(readme)
    if (!existsSync(join(root, path)) || !statSync(join(root, path)).isFile())
      throw new Error(`${source} links to ${path}, which is not a file of the repository and has no README.`)
    const isPicture = /\.(?:png|svg)$/.test(path)
    const target = isPicture ? path.replace(/^docs\//, '') : `source/${path}.html`
    const found = isPicture ? pictures : sources
    found.set(path, target)
    return target
  }
  return {
    sources,
    pictures,
    resolve(href, source, page) {
      if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href
      const [path = '', anchor] = href.split('#')
      const target = targetOf(posix.join(posix.dirname(source), path).replace(/\/$/, ''), source)
      return relativeTo(page, target) + (anchor === undefined ? '' : `#${anchor}`)
    },
  }
}

/** The way from one page of the site to another, so that the site works below any address and from a disk. */
export function relativeTo(page: string, target: string): string {
  const [path = '', anchor] = target.split('#')
  const way = posix.relative(posix.dirname(page), path) || posix.basename(path)
  return anchor === undefined ? way : `${way}#${anchor}`
}
