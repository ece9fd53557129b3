package io.retroscope.sonify.soundscape;

/**
 * How a node is told from others: by its side, and, for those who hear with one ear or one
 * loudspeaker, by its register.
 *
 * @param pan -1 left to 1 right
 * @param semitones added to a rule's keys
 */
public record Place(double pan, int semitones) {
  /** The place of a rule that is about no node. */
  public static final Place MIDDLE = new Place(0, 0);
}
