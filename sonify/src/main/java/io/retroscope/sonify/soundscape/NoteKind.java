// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/** The reason for a note, in the order in which notes give way when there are too many. */
public enum NoteKind {
  /** The end of a stretch. */
  RECOVERY(8),
  /** The last strike of a stretch that lasts. */
  REPEAT(6),
  /** A row. */
  MARK(4),
  /** Many rows of one rule; its level is their number per second. */
  ROLL(2),
  /** A step that a level has reached. */
  STRIKE(0),
  /** The beginning of a background. */
  BACKGROUND(NoteKind.ESSENTIAL),
  /** A new value of a background, which changes sounding notes and is not a note itself. */
  FOLLOW(NoteKind.ESSENTIAL),
  /** Everything works. */
  HEARTBEAT(NoteKind.ESSENTIAL),
  /** States were taken over from history; its level is the number of rows not sounded. */
  CAUGHT_UP(NoteKind.ESSENTIAL),
  /** A pulse of an alarm's burst. */
  ALARM(NoteKind.ESSENTIAL),
  /** The server or the last node is lost. */
  LOST(NoteKind.ESSENTIAL),
  /** The server is back. */
  BACK(NoteKind.ESSENTIAL);

  private static final int ESSENTIAL = -1;

  private final int reserve;

  NoteKind(int reserve) {
    this.reserve = reserve;
  }

  /** Whether the kind may be left out when there are too many notes. */
  boolean mayGiveWay() {
    return reserve != ESSENTIAL;
  }

  /** The number of notes that it leaves to kinds that give way after it. */
  int reserve() {
    return reserve;
  }
}
