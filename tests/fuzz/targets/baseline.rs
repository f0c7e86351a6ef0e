#![no_main]
skillc_fuzz::target!("baseline");
