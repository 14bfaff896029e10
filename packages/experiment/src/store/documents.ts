/**
 * Named records of one kind, by experiment: the port under sessions and sweeps.
 * Names have been checked before they come here.
 */
export interface Documents<Document> {
  read(experimentName: string, name: string): Promise<Document | undefined>
  /**
   * Replaces a document by what `change` makes of it. Nobody else changes it meanwhile; when `change` throws, nothing
   * happens.
   */
  change(
    experimentName: string,
    name: string,
    change: (current: Document | undefined) => Document | Promise<Document>,
  ): Promise<Document>
  /** Every document of an experiment, in no particular order. */
  all(experimentName: string): Promise<readonly Document[]>
}
