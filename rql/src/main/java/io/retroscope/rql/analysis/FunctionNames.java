// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The functions of RQL by their names, in any case. */
final class FunctionNames {
  private static final Map<String, RqlFunction> BY_NAME = new HashMap<>();

  static {
    RqlFunction.all().forEach(function -> BY_NAME.put(key(function.displayName()), function));
  }

  private FunctionNames() {}

  static Optional<RqlFunction> find(String name) {
    return Optional.ofNullable(BY_NAME.get(key(name)));
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
