// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A test that each method that a service may call names the exceptions that it throws itself, in
 * its own comment or in that of its type. It reads the sources, whose layout the formatter
 * determines.
 */
class DocumentedErrorsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern FOR_SERVICES =
      Pattern.compile("(hlc-core|instrumentation/[\\w-]+)/src/main/java/.*\\.java");
  private static final Pattern TYPE =
      Pattern.compile("(?m)^public (?:[a-z-]+ )*(?:class|interface|record) (\\w+)");

  /** A method or a constructor of a top-level type: its comment, its head and its body. */
  private static final Pattern METHOD =
      Pattern.compile(
          "(?ms)(?<comment>^  /\\*\\*(?:(?!\\*/).)*\\*/\n)?"
              + "(?<annotations>(?:^  @[^\n]*\n)*)"
              + "^  (?<head>(?:public|protected|default|static|\\w[\\w<>?,. ]*) [^;{}=]*?\\)[^;{}]*)"
              + "(?:;|\\{\n(?<body>.*?)^  \\}$)");

  private static final Pattern THROWN = Pattern.compile("throw new (\\w+)");
  private static final Pattern DECLARED = Pattern.compile("\\) throws ([\\w, ]+)");

  @Test
  void publicMethods_ofServices_nameTheExceptionsThatTheyThrow() throws IOException {
    List<String> silent = new ArrayList<>();
    int count = 0;
    for (Path file : files()) {
      String source = Files.readString(file);
      Matcher type = TYPE.matcher(source);
      if (type.find()) {
        String typeComment =
            source.substring(source.lastIndexOf("/**", type.start()), type.start());
        boolean ofInterface = type.group().contains("interface");
        for (MatchResult method : METHOD.matcher(source).results().toList()) {
          Set<String> thrown = thrown(method, ofInterface);
          count += thrown.size();
          String comments = typeComment + method.group(1);
          thrown.stream()
              .filter(name -> !comments.contains(name))
              .forEach(name -> silent.add(file.getFileName() + ": " + method.group(3) + name));
        }
      }
    }
    assertThat(silent).isEmpty();
    assertThat(count).isGreaterThan(30);
  }

  private static Set<String> thrown(MatchResult method, boolean ofInterface) {
    String head = method.group(3).replaceAll("\\s+", " ");
    boolean visible = head.startsWith("public") || head.startsWith("protected") || ofInterface;
    boolean nested = head.contains("record ") || head.contains("class ");
    if (!visible || nested || head.startsWith("private") || method.group(2).contains("@Override")) {
      return Set.of();
    }
    Set<String> names = new LinkedHashSet<>();
    DECLARED
        .matcher(head)
        .results()
        .forEach(declared -> names.addAll(List.of(declared.group(1).strip().split(",\\s*"))));
    if (method.group(4) != null) {
      THROWN.matcher(method.group(4)).results().forEach(each -> names.add(each.group(1)));
    }
    names.remove("AssertionError"); // a defect of the library
    return names;
  }

  private static List<Path> files() throws IOException {
    return ProjectFiles.in(ROOT).stream()
        .filter(file -> FOR_SERVICES.matcher(ROOT.relativize(file).toString()).matches())
        .toList();
  }
}
