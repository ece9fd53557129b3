// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.sonify.rule.LiveSoundscape;

/**
 * The connections of all rules: one loss and one return, however many rules there are, and one note
 * for their history. Thread-safe.
 */
final class Connections {
  private final LiveSoundscape soundscape;
  private int catchingUp;
  private int lost;
  private long historyRows;

  Connections(LiveSoundscape soundscape, int ruleCount) {
    this.soundscape = soundscape;
    this.catchingUp = ruleCount;
  }

  synchronized void disconnected(boolean wasCatchingUp) {
    catchingUp += wasCatchingUp ? 0 : 1;
    if (lost++ == 0) {
      soundscape.lose();
    }
  }

  synchronized void reconnected() {
    if (--lost == 0) {
      soundscape.regain();
    }
  }

  synchronized void caughtUp(long rows) {
    historyRows += rows;
    if (--catchingUp == 0) {
      soundscape.caughtUp(historyRows);
      historyRows = 0;
    }
  }
}
