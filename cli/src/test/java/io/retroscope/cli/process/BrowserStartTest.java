// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BrowserStartTest {
  @Test
  void program_isThatOfTheSystem() {
    assertThat(BrowserStart.program("Linux", Map.of("DISPLAY", ":0")))
        .hasValue(List.of("xdg-open"));
    assertThat(BrowserStart.program("Linux", Map.of("WAYLAND_DISPLAY", "wayland-0"))).isPresent();
    assertThat(BrowserStart.program("Mac OS X", Map.of())).hasValue(List.of("open"));
    assertThat(BrowserStart.program("Windows 11", Map.of())).isPresent();
  }

  @Test
  void program_withoutAScreen_isNone() {
    assertThat(BrowserStart.program("Linux", Map.of("DISPLAY", ""))).isEmpty();
    assertThat(BrowserStart.program("Linux", Map.of())).isEmpty();
  }
}
