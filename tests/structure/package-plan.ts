/** What one package may import, and its layers. */
export interface PackagePlan {
  /** Packages of this repository that it may import. */
  readonly below: readonly string[]
  /** The subpaths that it exports. */
  readonly doors: readonly string[]
  /**
   * The layer of each file or directory of `src`, the lowest first. Imports stay within a layer or lead to a lower one.
   * A file that is not listed belongs to the highest layer.
   */
  readonly layers: Layers
  /** Run-time dependencies from elsewhere. */
  readonly dependencies: readonly string[]
  /** Peer dependencies. */
  readonly peers?: readonly string[]
  /** Development dependencies that become part of the package when it is built. */
  readonly bundled?: readonly string[]
  /** Files with side effects when they are imported. */
  readonly effects?: readonly string[]
  /** Directories of `src` that may load `node:` modules, and only inside a function. Absent: `node:` is allowed. */
  readonly nodeWithin?: readonly string[]
  /** The layers of `page`, the source of a page in the browser, and what it may import from `src` at run time. */
  readonly page?: { readonly layers: Layers; readonly fromSource: readonly string[] }
}

type Layers = readonly (readonly string[])[]
