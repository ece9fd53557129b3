// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

/** A way from the root of a YAML document, which must exist, to one of its parts. */
final class YamlPath {
  private YamlPath() {}

  /** Returns the part at the end of names, in mappings, and numbers from 0, in sequences. */
  static Object at(Object node, Object... path) {
    Object found = node;
    for (Object step : path) {
      found = step instanceof Integer i ? ((List<?>) found).get(i) : ((Map<?, ?>) found).get(step);
      assertThat(found).as("%s of %s", step, List.of(path)).isNotNull();
    }
    return found;
  }
}
