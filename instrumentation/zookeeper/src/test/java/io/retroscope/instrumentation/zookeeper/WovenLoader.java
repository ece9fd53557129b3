// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.concurrent.Callable;

/** A class loader with new copies of ZooKeeper and the agent, woven as in a real server. */
final class WovenLoader extends ClassLoader {
  private static final List<String> LOADED_HERE =
      List.of(
          "org.apache.zookeeper.", "org.apache.jute.", WovenLoader.class.getPackageName() + ".");

  private final ClassFileTransformer weaving;

  WovenLoader() throws Exception {
    super(WovenLoader.class.getClassLoader());
    weaving = (ClassFileTransformer) call(Weaving.class);
  }

  /** Calls a task of this package, whose classes are loaded by this loader. */
  Object call(Class<? extends Callable<?>> task) throws Exception {
    Constructor<?> constructor = loadClass(task.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return ((Callable<?>) constructor.newInstance()).call();
  }

  /** The transformer that the agent would install. */
  static final class Weaving implements Callable<ClassFileTransformer> {
    @Override
    public ClassFileTransformer call() {
      return new ServerWeaving(WovenRecorder.UNTRACED).agent().makeRaw();
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (LOADED_HERE.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String path = name.replace('.', '/');
    try (InputStream in = getResourceAsStream(path + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      byte[] woven = weaving == null ? null : weaving.transform(this, path, null, null, bytes);
      byte[] defined = woven == null ? bytes : woven;
      return defineClass(name, defined, 0, defined.length);
    } catch (IOException | IllegalClassFormatException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
