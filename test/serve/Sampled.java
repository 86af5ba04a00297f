/** What the test of attach_jvm samples: a thread that is busy in one method, one that sleeps, and one that is held up. */
public final class Sampled {
    private static volatile double result;

    private static double hotMethod(double x) {
        double y = x;
        for (int i = 0; i < 2000; i++) {
            y = Math.sqrt(y + i);
        }
        return y;
    }

    private static void burn() {
        while (true) {
            result = hotMethod(result);
        }
    }

    private static void rest() {
        try {
            while (true) {
                Thread.sleep(10_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Prints a line each 50 ms with the longest time that it was held up, in ms, until its input ends. */
    public static void main(String[] args) throws Exception {
        start("burner \"1\" \u00e9", Sampled::burn);
        start("resting", Sampled::rest);
        long longest = 0;
        while (System.in.available() == 0) {
            long before = System.nanoTime();
            Thread.sleep(50);
            longest = Math.max(longest, (System.nanoTime() - before) / 1_000_000 - 50);
            System.out.println("tick " + longest);
        }
    }
}
