import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SourceTextModule, SyntheticModule } from 'node:vm'
import { stripTypes } from './strip-types.mjs'

/**
 * Loads fresh copies of JavaScript and TypeScript modules, beside Node's own module cache, with some of them replaced.
 * Needs `--experimental-vm-modules`.
 *
 * @param {{
 *   texts?: ReadonlyMap<string, string>, provided?: ReadonlyMap<string, object>, context?: object,
 *   mayImport?: (from: string, what: string) => boolean
 * }} options
 *   `texts`: absolute path to a text that replaces the file; `provided`: specifier to the exports of a module;
 *   `context`: the realm they run in, this one by default; `mayImport`: whether a file may import another one, or a module
 *   by its name. Without it modules may also be imported while they run.
 * @returns {(path: string) => Promise<object>} the exports of the module at an absolute path
 */
export function moduleLoader({ texts = new Map(), provided = new Map(), context, mayImport }) {
  const opened = new Map()
  const realm = context === undefined ? {} : { context }

  function open(path) {
    const text = texts.get(path) ?? readFileSync(path, 'utf8')
    const url = pathToFileURL(path).href
    const late = async (specifier, from) => evaluated(await link(specifier, from))
    return new SourceTextModule(stripTypes(text, path), {
      ...realm,
      identifier: url,
      initializeImportMeta: (meta) => Object.assign(meta, { url }),
      ...(mayImport === undefined && { importModuleDynamically: late }),
    })
  }
  const once = (key, make) => opened.get(key) ?? opened.set(key, make()).get(key)

  async function link(specifier, from) {
    const importer = fileURLToPath(from.identifier)
    const isFile = specifier.startsWith('.')
    const target = isFile ? existing(resolve(dirname(importer), specifier)) : specifier
    if (mayImport?.(importer, target) === false) throw new Error(`${specifier} cannot be imported here`)
    return once(target, () => (isFile ? open(target) : foreign(specifier, provided, realm)))
  }
  async function evaluated(module) {
    if (module.status === 'unlinked') await module.link(link)
    if (module.status !== 'evaluated') await module.evaluate()
    return module
  }
  return async (path) => (await evaluated(once(path, () => open(path)))).namespace
}

async function foreign(specifier, provided, realm) {
  const exported = provided.get(specifier) ?? (await import(specifier))
  const names = Object.keys(exported)
  const fill = function () {
    for (const name of names) this.setExport(name, exported[name])
  }
  return new SyntheticModule(names, fill, realm)
}

/** TypeScript writes `./x.js` for `./x.ts`. */
function existing(path) {
  return existsSync(path) ? path : path.replace(/\.([cm]?)js$/, '.$1ts')
}
