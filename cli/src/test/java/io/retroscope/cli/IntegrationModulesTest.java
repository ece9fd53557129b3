// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A module can require every integration by a name that does not depend on its jar's. */
class IntegrationModulesTest {
  private static final Pattern NAME =
      Pattern.compile("<automatic\\.module\\.name>([\\w.]+)</automatic\\.module\\.name>");

  @TempDir Path folder;

  /** The names in the order of the modules' folders. */
  private static Map<Path, String> names() throws IOException {
    Map<Path, String> names = new TreeMap<>();
    try (Stream<Path> modules = Files.list(Path.of("..", "instrumentation"))) {
      for (Path module : modules.filter(Files::isDirectory).toList()) {
        Matcher name = NAME.matcher(Files.readString(module.resolve("pom.xml")));
        names.put(module, name.find() ? name.group(1) : "none");
      }
    }
    return names;
  }

  @Test
  void names_ofAllIntegrations_areTheirPackages() throws IOException {
    for (Map.Entry<Path, String> name : names().entrySet()) {
      Path sources = name.getKey().resolve("src/main/java");
      assertThat(sources.resolve(name.getValue().replace('.', '/') + "/package-info.java"))
          .as("the package of %s in %s", name.getValue(), name.getKey())
          .exists();
    }
    assertThat(Files.readString(Path.of("..", "pom.xml")))
        .contains("<Automatic-Module-Name>${automatic.module.name}</Automatic-Module-Name>");
  }

  /** All that are built, in a whole build; alone, this module builds the one that it uses. */
  private static Map<Path, String> builtNames() throws IOException {
    Map<Path, String> built = names();
    built.keySet().removeIf(module -> !Files.exists(module.resolve("target/classes")));
    assertThat(built).containsValue("io.retroscope.instrumentation.kafka");
    return built;
  }

  @Test
  void consumer_thatRequiresThemAll_compilesAndIsResolved() throws IOException {
    List<String> path = new ArrayList<>(List.of(Path.of("..", "hlc-core/target/classes") + ""));
    StringBuilder module = new StringBuilder("module consumer {\n  requires io.retroscope.core;\n");
    for (Map.Entry<Path, String> name : builtNames().entrySet()) {
      path.add(jar(name.getKey(), name.getValue()).toString());
      module.append("  requires ").append(name.getValue()).append(";\n");
    }
    Path source = Files.writeString(folder.resolve("module-info.java"), module.append("}\n"));
    String modulePath = String.join(System.getProperty("path.separator"), path);
    StringWriter messages = new StringWriter();
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options = List.of("--module-path", modulePath, "-d", folder + "/classes");
      var sources = files.getJavaFileObjects(source);
      boolean compiled = compiler.getTask(messages, files, null, options, null, sources).call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
    path.add(folder + "/classes");
    ModuleFinder finder = ModuleFinder.of(path.stream().map(Path::of).toArray(Path[]::new));
    Configuration resolved =
        ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), List.of("consumer"));
    assertThat(resolved.modules())
        .extracting(found -> found.name())
        .containsAll(builtNames().values())
        .contains("io.retroscope.core", "consumer");
  }

  /** The module's classes as a jar whose manifest has the name, as its build writes it. */
  private Path jar(Path module, String name) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Automatic-Module-Name", name);
    Path jar = folder.resolve("jar-" + module.getFileName() + ".jar");
    Path classes = module.resolve("target/classes");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
      }
    }
    return jar;
  }
}
