// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class PercentLineTest {
  @Test
  void done_onATerminal_showsEachPercentOnceAndGoesAway() {
    StringWriter err = new StringWriter();
    try (PercentLine line = new PercentLine(new PrintWriter(err), "fig1", true)) {
      line.done(10, 1_000);
      line.done(11, 1_000);
      line.done(1_000, 1_000);
    }
    String clear = "\r\u001B[K";
    assertThat(err)
        .hasToString(
            clear
                + "fig1: 1%, 10 of 1,000 runs"
                + clear
                + "fig1: 100%, 1,000 of 1,000 runs"
                + clear);
  }

  @Test
  void done_elsewhere_isSilent() {
    StringWriter err = new StringWriter();
    try (PercentLine line = new PercentLine(new PrintWriter(err), "fig1", false)) {
      line.done(10, 1_000);
    }
    assertThat(err.toString()).isEmpty();
  }
}
