// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The names of recorded files: the class, the method, and for repeated and parameterized tests the
 * number of the invocation, so that no two tests of a run share one.
 */
final class RecordedFile {
  private static final int MAX_NAME_LENGTH = 150;

  /** An invocation of a test template in a unique id; classes may be templates as well. */
  private static final Pattern INVOCATION = Pattern.compile("-invocation:#(\\d+)]");

  private static final Pattern UNUSUAL = Pattern.compile("[^\\w.-]");

  private RecordedFile() {}

  static Path in(Path folder, ExtensionContext context) {
    Class<?> type = context.getRequiredTestClass();
    Method method = context.getRequiredTestMethod();
    StringBuilder name =
        new StringBuilder(type.getName().replace('$', '.')).append('.').append(method.getName());
    if (isOverloaded(type, method)) {
      String types =
          Arrays.stream(method.getParameterTypes())
              .map(Class::getSimpleName)
              .collect(Collectors.joining("-"));
      name.append('-').append(types);
    }
    Matcher invocation = INVOCATION.matcher(context.getUniqueId());
    while (invocation.find()) {
      name.append('-').append(invocation.group(1));
    }
    return folder.resolve(usual(name.toString()) + ".ndjson");
  }

  private static boolean isOverloaded(Class<?> type, Method method) {
    return Arrays.stream(type.getDeclaredMethods())
            .filter(other -> other.getName().equals(method.getName()) && !other.isSynthetic())
            .count()
        > 1;
  }

  /** A name that every file system takes; a hash keeps changed names apart. */
  private static String usual(String name) {
    String usual = UNUSUAL.matcher(name).replaceAll("_");
    if (usual.equals(name) && name.length() <= MAX_NAME_LENGTH) {
      return name;
    }
    String start = usual.substring(0, Math.min(usual.length(), MAX_NAME_LENGTH));
    return start + "-" + Integer.toHexString(name.hashCode());
  }
}
