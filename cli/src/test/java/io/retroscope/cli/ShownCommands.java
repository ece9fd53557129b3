// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * A check, without running them, of commands that pages show: Retroscope's must have the options
 * and arguments, Maven's the modules, profiles and tests, and Java's the main classes. A test must
 * be in one of the modules, and run: without the profile for slow tests, some of it may not be
 * slow.
 */
final class ShownCommands {
  private static final Set<String> NEUTRAL =
      Set.of("cd", "mkdir", "export", "true", "echo", "do", "done", "exit");
  private static final Pattern PROFILE = Pattern.compile("<profile>\\s*<id>([^<]+)</id>");
  private static final Pattern TEST_METHOD = Pattern.compile("(?m)^  @\\w*Test\\b");
  private static final Pattern SLOW_METHOD = Pattern.compile("(?m)^  @Tag\\(\"slow\"\\)");
  private static final Pattern SLOW_CLASS = Pattern.compile("(?m)^@Tag\\(\"slow\"\\)");
  private static final Pattern BENCHMARK = Pattern.compile("[A-Z]\\w*Benchmark");

  private final Path root;
  private final CommandLine commandLine = Retroscope.commandLine();
  private final Set<String> profiles = new TreeSet<>();
  private final Map<String, List<Path>> classes = new HashMap<>();

  ShownCommands(Path root, List<Path> files) throws IOException {
    this.root = root;
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (name.equals("pom.xml")) {
        Matcher profile = PROFILE.matcher(Files.readString(file));
        profile.results().forEach(found -> profiles.add(found.group(1)));
      } else if (name.endsWith(".java")) {
        String className = name.substring(0, name.length() - ".java".length());
        classes.computeIfAbsent(className, unused -> new ArrayList<>()).add(file);
      }
    }
  }

  /** Whether all commands of a text are ones that can be checked. */
  boolean areKnown(String text) {
    boolean any = false;
    for (List<String> words : ShellLine.commands(text)) {
      List<String> command = command(words);
      if (!command.isEmpty()) {
        String name = command.get(0);
        boolean checked = isRetroscope(name) || name.equals("mvn") || name.equals("java");
        if (!checked && !NEUTRAL.contains(name)) {
          return false;
        }
        any |= checked;
      }
    }
    return any;
  }

  /** The first thing of a text that does not exist. */
  Optional<String> fault(String text) {
    for (List<String> words : ShellLine.commands(text)) {
      List<String> command = command(words);
      Optional<String> fault =
          command.isEmpty() ? Optional.empty() : faultOf(command.get(0), command);
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  /** A command without the settings and the words of the shell before it. */
  private static List<String> command(List<String> words) {
    int first = 0;
    while (first < words.size()
        && (words.get(first).matches("[A-Z_]+=.*") || words.get(first).equals("do"))) {
      first++;
    }
    List<String> command = words.subList(first, words.size());
    return command.isEmpty() || command.get(0).equals("for") ? List.of() : command;
  }

  private static boolean isRetroscope(String name) {
    return name.equals("retroscope") || name.endsWith("/retroscope");
  }

  private Optional<String> faultOf(String name, List<String> command) {
    List<String> arguments = command.subList(1, command.size());
    if (isRetroscope(name)) {
      return faultOfRetroscope(arguments);
    }
    if (name.equals("mvn")) {
      return faultOfMaven(arguments);
    }
    if (name.equals("java")) {
      return faultOfJava(arguments);
    }
    return NEUTRAL.contains(name) ? Optional.empty() : Optional.of("unknown command " + name);
  }

  private Optional<String> faultOfRetroscope(List<String> arguments) {
    try {
      commandLine.parseArgs(arguments.toArray(String[]::new));
      return Optional.empty();
    } catch (CommandLine.ParameterException e) {
      return Optional.of(String.join(" ", arguments) + ": " + e.getMessage());
    }
  }

  private Optional<String> faultOfMaven(List<String> arguments) {
    List<String> modules = new ArrayList<>();
    List<String> chosen = new ArrayList<>();
    List<String> tests = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals("-pl")) {
        modules.addAll(names(arguments.get(i + 1)));
      } else if (argument.startsWith("-P")) {
        chosen.addAll(names(argument.substring(2)));
      } else if (argument.startsWith("-Dtest=")) {
        tests.addAll(names(argument.substring("-Dtest=".length())));
      }
    }
    return Stream.of(
            modules.stream().filter(name -> !isModule(name)),
            chosen.stream().filter(name -> !profiles.contains(name)),
            tests.stream().filter(name -> !runs(name, modules, chosen.contains("slow"))))
        .flatMap(faults -> faults)
        .findFirst();
  }

  private static List<String> names(String list) {
    return List.of(list.split(","));
  }

  private boolean isModule(String name) {
    return Files.isRegularFile(root.resolve(name).resolve("pom.xml"));
  }

  /** Whether a test is in one of the modules, or in any if there are none, and is not left out. */
  private boolean runs(String test, List<String> modules, boolean withSlow) {
    return classes.getOrDefault(test.replaceAll("#.*", ""), List.of()).stream()
        .filter(file -> modules.isEmpty() || modules.stream().anyMatch(in -> isIn(in, file)))
        .anyMatch(file -> withSlow || hasQuickTest(file));
  }

  private boolean isIn(String module, Path file) {
    return file.startsWith(root.resolve(module).resolve("src"));
  }

  private static boolean hasQuickTest(Path file) {
    try {
      String text = Files.readString(file);
      long tests = TEST_METHOD.matcher(text).results().count();
      return !SLOW_CLASS.matcher(text).find()
          && tests > SLOW_METHOD.matcher(text).results().count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<String> faultOfJava(List<String> arguments) {
    int main = 0;
    boolean jar = false;
    while (main < arguments.size() && arguments.get(main).startsWith("-")) {
      jar |= arguments.get(main).equals("-jar");
      main += Set.of("-cp", "-jar").contains(arguments.get(main)) ? 2 : 1;
    }
    if (main >= arguments.size()) {
      return Optional.empty();
    }
    String name = arguments.get(main);
    if (jar) {
      Matcher benchmark = BENCHMARK.matcher(name);
      return benchmark.lookingAt() && !classes.containsKey(benchmark.group())
          ? Optional.of(benchmark.group())
          : Optional.empty();
    }
    boolean ours = name.startsWith("io.retroscope.");
    return ours && !classes.containsKey(name.substring(name.lastIndexOf('.') + 1))
        ? Optional.of(name)
        : Optional.empty();
  }
}
