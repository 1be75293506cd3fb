/** Parts of the prompt that differ for programs in another language; whole lines but `topic`. */
export interface ProgramText {
  codeRule: string;
  libraries: string;
  codeTemplate: string;
  importRule: string;
  /** What the example's user searches for. */
  topic: string;
  plan: string;
  call: string;
}
